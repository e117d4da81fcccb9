"""What rule learners share: rules as values, and private choices of their conditions."""
