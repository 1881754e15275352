"""Search: which tool is meant, by meaning and by words, in English, German and Chinese."""
