"""Builds the static fonts of the pictures for link previews from the npm packages.

The renderer of the pictures has no variable fonts. Each face is a family of its own.
Run: python3 apps/web/src/fonts/card-fonts.py (requires fonttools and brotli)
"""

from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

here = Path(__file__).parent
packages = here.parents[3] / "node_modules/@fontsource-variable"
SANS = "instrument-sans/files/instrument-sans-latin-standard-normal.woff2"
MONO = "martian-mono/files/martian-mono-latin-standard-normal.woff2"


def make(source: str, face: str, axes: dict) -> None:
    font = instancer.instantiateVariableFont(TTFont(packages / source), axes)
    names = {1: f"Card {face}", 2: "Regular", 4: f"Card {face}", 6: f"Card{face}", 16: f"Card {face}", 17: "Regular"}
    for record in font["name"].names:
        record.string = names.get(record.nameID, record.toUnicode())
    font["OS/2"].usWeightClass = 400
    font["OS/2"].usWidthClass = 5
    options = subset.Options(layout_features=["kern"], hinting=False, name_IDs=["*"], notdef_outline=True)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=list(font.getBestCmap()))
    subsetter.subset(font)
    font.flavor = None
    font.save(here / "card" / f"{face.lower()}.ttf")


make(SANS, "Title", {"wght": 600, "wdth": 85})
make(SANS, "Strong", {"wght": 600, "wdth": 100})
make(SANS, "Text", {"wght": 400, "wdth": 100})
make(MONO, "Data", {"wght": 500, "wdth": 75})
