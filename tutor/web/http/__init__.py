"""What every page needs: addresses, languages, headers, limits, caches, errors."""
