"""What can be said of intentions in words: names, durations, a verdict."""
