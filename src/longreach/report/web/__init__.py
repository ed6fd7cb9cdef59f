"""The live report and the playground, served on this machine."""
