"""Is this statement true, what does the literature say, how sure can I be?"""
