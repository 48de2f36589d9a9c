"""Atomic operations on elements of arrays, for threads that share a tree without locks.

numba has none for the CPU, but LLVM does: each of these becomes one instruction of the processor.
"""

from numba.core import cgutils, types
from numba.extending import intrinsic

ORDERING = "acq_rel"


def _pointer(context, builder, kind, array, index_kind, index):
    """Return where an element of a one-dimensional array stands."""
    view = context.make_array(kind)(context, builder, array)
    place = context.cast(builder, index, index_kind, types.intp)
    return cgutils.get_item_pointer(context, builder, kind, view, [place], wraparound=False)


@intrinsic
def atomic_add(typing_context, array, index, value):
    """Add to an integer element; return what it was before."""

    def build(context, builder, signature, arguments):
        array_kind, index_kind, value_kind = signature.args
        pointer = _pointer(context, builder, array_kind, arguments[0], index_kind, arguments[1])
        amount = context.cast(builder, arguments[2], value_kind, array_kind.dtype)
        return builder.atomic_rmw("add", pointer, amount, ORDERING)

    return array.dtype(array, index, value), build


@intrinsic
def compare_and_swap(typing_context, array, index, expected, value):
    """Set an integer element if it is as expected; tell if that was so."""

    def build(context, builder, signature, arguments):
        array_kind, index_kind, expected_kind, value_kind = signature.args
        pointer = _pointer(context, builder, array_kind, arguments[0], index_kind, arguments[1])
        old = context.cast(builder, arguments[2], expected_kind, array_kind.dtype)
        new = context.cast(builder, arguments[3], value_kind, array_kind.dtype)
        result = builder.cmpxchg(pointer, old, new, ORDERING, "acquire")
        return builder.extract_value(result, 1)

    return types.boolean(array, index, expected, value), build


@intrinsic
def atomic_load(typing_context, array, index):
    """Read an integer element, and see all that was written before it was."""

    def build(context, builder, signature, arguments):
        array_kind, index_kind = signature.args
        pointer = _pointer(context, builder, array_kind, arguments[0], index_kind, arguments[1])
        return builder.load_atomic(pointer, "acquire", array_kind.dtype.bitwidth // 8)

    return array.dtype(array, index), build


@intrinsic
def atomic_store(typing_context, array, index, value):
    """Write an integer element so that whoever reads it sees all that was written before."""

    def build(context, builder, signature, arguments):
        array_kind, index_kind, value_kind = signature.args
        pointer = _pointer(context, builder, array_kind, arguments[0], index_kind, arguments[1])
        new = context.cast(builder, arguments[2], value_kind, array_kind.dtype)
        builder.store_atomic(new, pointer, "release", array_kind.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, index, value), build
