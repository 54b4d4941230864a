"""Ink and paper: sheets of SVG, and the boards, trees, charts and tours that pictures are made of."""
