"""Rules about a pull request: facts in, a verdict out."""
