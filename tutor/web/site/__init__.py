"""The pages that anybody reads alone, one blueprint a subject."""
