"""Looking up: rulings, editions, examples, terms and pieces."""
