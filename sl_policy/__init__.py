"""The policy network p_sigma: supervised learning of expert moves (Silver et al. 2016, stage one of Figure 1a).

Where to start reading:

- the network: `settings`, `inputs` (what it is given), `weights` (plain arrays and their file), `network` (torch);
- learning: `batches` (encoded in the background), `trainer`, `train` (the command), `curves`;
- answering: `inference` (probabilities, by ONNX Runtime or torch), `evaluation` (how well it finds moves), `mistakes`,
  `evaluate` (the command), `player`, `show`, `shipped` (networks that come with Prezero);
- the paper's experiment: `table` (Extended Data Table 3 at our scale).
"""
