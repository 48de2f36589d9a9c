"""Atomic operations on elements of arrays, for threads that share a tree without locks.

numba has none for the CPU, but LLVM does. Each function compiles to one processor instruction.
"""

from numba.core import cgutils, types
from numba.extending import intrinsic

ORDERING = "acq_rel"


def _pointer(context, builder, kind, array, index_kind, index):
    """Return the pointer to an element of a one-dimensional array."""
    view = context.make_array(kind)(context, builder, array)
    place = context.cast(builder, index, index_kind, types.intp)
    return cgutils.get_item_pointer(context, builder, kind, view, [place], wraparound=False)


@intrinsic
def atomic_add(typing_context, array, index, value):
    """Add to an integer element. Return its previous value."""

    def build(context, builder, signature, arguments):
        array_kind, index_kind, value_kind = signature.args
        pointer = _pointer(context, builder, array_kind, arguments[0], index_kind, arguments[1])
        amount = context.cast(builder, arguments[2], value_kind, array_kind.dtype)
        return builder.atomic_rmw("add", pointer, amount, ORDERING)

    return array.dtype(array, index, value), build


@intrinsic
def compare_and_swap(typing_context, array, index, expected, value):
    """Set an integer element if it has the expected value. Return whether it had."""

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
    """Read an integer element with acquire ordering: all writes before its `atomic_store` are visible."""

    def build(context, builder, signature, arguments):
        array_kind, index_kind = signature.args
        pointer = _pointer(context, builder, array_kind, arguments[0], index_kind, arguments[1])
        return builder.load_atomic(pointer, "acquire", array_kind.dtype.bitwidth // 8)

    return array.dtype(array, index), build


@intrinsic
def atomic_store(typing_context, array, index, value):
    """Write an integer element with release ordering: see `atomic_load`."""

    def build(context, builder, signature, arguments):
        array_kind, index_kind, value_kind = signature.args
        pointer = _pointer(context, builder, array_kind, arguments[0], index_kind, arguments[1])
        new = context.cast(builder, arguments[2], value_kind, array_kind.dtype)
        builder.store_atomic(new, pointer, "release", array_kind.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, index, value), build
