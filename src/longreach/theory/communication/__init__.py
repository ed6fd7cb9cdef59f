"""One-way communication of tasks, counted exactly on short inputs."""
