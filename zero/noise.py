"""Random numbers of the searches: Gumbel and Dirichlet noise, drawn from the stream of a game (`go.playout`)."""

import numpy as np

from go.jit import kernel
from go.playout import next_random

SMALLEST = 1e-300  # keeps logarithms finite


@kernel
def uniform(rng):
    """Draw a number above 0 and below 1."""
    return (np.float64(next_random(rng) >> np.uint64(12)) + 0.5) * (1.0 / (1 << 52))


@kernel
def normal(rng):
    """Draw from the normal distribution (Box and Muller 1958)."""
    return np.sqrt(-2.0 * np.log(uniform(rng))) * np.cos(2.0 * np.pi * uniform(rng))


@kernel
def gumbel(rng):
    """Draw from the Gumbel distribution: the largest of score + noise is a sample from the softmax of the scores."""
    return -np.log(-np.log(uniform(rng)))


@kernel
def log_gamma_variate(alpha, rng):
    """Draw the logarithm of a gamma variate (Marsaglia and Tsang 2000), which may be too small for a number itself."""
    boosted = alpha + 1.0 if alpha < 1.0 else alpha
    d = boosted - 1.0 / 3.0
    c = 1.0 / np.sqrt(9.0 * d)
    found = 0.0
    while True:
        x = normal(rng)
        v = (1.0 + c * x) ** 3
        if v > 0.0 and np.log(uniform(rng)) < 0.5 * x * x + d - d * v + d * np.log(v):
            found = np.log(d * v)
            break
    return found + np.log(uniform(rng)) / alpha if alpha < 1.0 else found


@kernel
def mix_dirichlet(prior, logit, share, alpha, rng):
    """Mix noise into the priors of the legal moves: P = (1 - share) p + share * eta, eta ~ Dir(alpha)."""
    drawn = np.empty(len(prior))
    highest = -np.inf
    for a in range(len(prior)):
        if logit[a] > -np.inf:
            drawn[a] = log_gamma_variate(alpha, rng)
            highest = max(highest, drawn[a])
    total = 0.0
    for a in range(len(prior)):
        if logit[a] > -np.inf:
            drawn[a] = np.exp(drawn[a] - highest)
            total += drawn[a]
    for a in range(len(prior)):
        if logit[a] > -np.inf:
            prior[a] = (1.0 - share) * prior[a] + share * drawn[a] / max(total, SMALLEST)
