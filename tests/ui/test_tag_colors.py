"""Colours of tags: no two alike while there are pigments left, and always the same ones."""

from __future__ import annotations

from app.ui.tag_colors import tag_colors


def test_five_tags_have_five_colors_whatever_their_names() -> None:
    """Of 200 sets of five names nearly all would clash if each took the colour of its name."""
    for k in range(200):
        tags = [f"tag {k} {n}" for n in range(5)]
        assert len(set(tag_colors(tags).values())) == 5


def test_more_tags_than_pigments_share_them_evenly_and_order_does_not_matter() -> None:
    tags = [f"标签{n}" for n in range(12)]
    colors = tag_colors(tags)
    assert tag_colors(reversed(tags)) == colors
    counts = [list(colors.values()).count(each) for each in set(colors.values())]
    assert (len(counts), max(counts)) == (5, 3)
