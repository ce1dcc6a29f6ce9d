"""Builds the two subset fonts used for the first paint from the npm packages.

Run: python3 apps/web/src/fonts/subset.py (requires fonttools and brotli)
"""

from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

here = Path(__file__).parent
packages = here.parents[3] / "node_modules/@fontsource-variable"

# Characters used by the site's own texts. Other characters, for example in user names, are loaded from the
# full fonts on demand.
ASCII = set(range(0x20, 0x7F))
SIGNS = {0xA0, 0xA7, 0xA9, 0xB7, 0xD7, 0x131, 0x2013, 0x2014, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2026, 0x2191, 0x2193, 0x2212}
# XPlacement, YPlacement, XAdvance and YAdvance, without the bits for variation devices.
STATIC_VALUES = 0x000F


def make(source: str, name: str, limits: dict, features: list[str]) -> None:
    font = TTFont(packages / source)
    options = subset.Options(layout_features=features, hinting=False, name_IDs=["*"], notdef_outline=True, glyph_names=False)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=ASCII | SIGNS)
    subsetter.subset(font)
    draft = here / f"{name}.draft.ttf"
    font.save(draft)
    font = instancer.instantiateVariableFont(TTFont(draft), limits, updateFontNames=False)
    draft.unlink()
    if "kern" in features:
        remove_kerning_variations(font)
    font.flavor = "woff2"
    font.save(here / f"{name}.woff2")


def remove_kerning_variations(font: TTFont) -> None:
    """Keeps only the kerning of the regular face.

    Variable kerning is 40 % of the file, and the difference is a fraction of a pixel.
    """
    for lookup in font["GPOS"].table.LookupList.Lookup:
        for table in (each.ExtSubTable if each.LookupType == 9 else each for each in lookup.SubTable):
            if table.LookupType != 2:
                continue
            table.ValueFormat1 &= STATIC_VALUES
            table.ValueFormat2 &= STATIC_VALUES
            pairs = (
                [pair for pairs in table.PairSet for pair in pairs.PairValueRecord]
                if table.Format == 1
                else [pair for first in table.Class1Record for pair in first.Class2Record]
            )
            for value in (value for pair in pairs for value in (pair.Value1, pair.Value2) if value is not None):
                for device in ("XPlaDevice", "YPlaDevice", "XAdvDevice", "YAdvDevice"):
                    vars(value).pop(device, None)
    font["GDEF"].table.VarStore = None
    font["GDEF"].table.Version = 0x00010002


make(
    "instrument-sans/files/instrument-sans-latin-standard-normal.woff2",
    "instrument-sans-core",
    {"wght": (400, 600)},
    ["kern", "tnum"],
)
make(
    "martian-mono/files/martian-mono-latin-standard-normal.woff2",
    "martian-mono-core",
    {"wdth": 75, "wght": (400, 600)},
    ["calt", "rvrn"],
)
