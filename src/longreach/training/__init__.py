"""The training loop: many small transformers at once, measured on longer inputs."""
