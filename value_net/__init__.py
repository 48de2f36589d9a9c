"""The value network."""
