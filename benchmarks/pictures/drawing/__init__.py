"""The drawing library: sheets of SVG, and the boards, trees, charts and tours of the pictures."""
