"""The style sheet of mails has the values of the site's tokens, in light and in dark mode."""

import re

from tests.source_files import ROOT

PIXELS_PER_REM = 16
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
Declarations = dict[tuple[str, str], str]


def declarations(css: str) -> Declarations:
    """Each value by its selector and property."""
    return {
        (selector, *name_and_value[:1]): name_and_value[1].removesuffix(" !important")
        for selectors, block in _RULE.findall(css)
        for selector in map(str.strip, selectors.split(","))
        for part in block.split(";")
        if len(name_and_value := [word.strip() for word in part.split(":", 1)]) == 2
    }


def tokens(css: str) -> dict[str, str]:
    return {name: value for (_, name), value in declarations(css).items() if name[:2] == "--"}


def test_the_mail_has_the_values_of_the_tokens():
    site = re.sub(r"/\*.*?\*/", "", (ROOT / "static/css/tokens.css").read_text(), flags=re.S)
    light, dark = map(tokens, re.split(r"@media [^{]*\{", site)[:2])
    mail = re.sub(r"/\*.*?\*/", "", (ROOT / "templates/emails/mail.css").read_text(), flags=re.S)
    light_mail, _, dark_mail = mail.partition("@media (prefers-color-scheme: dark) {")
    rules, expected = declarations(light_mail), Declarations()
    rems = [value[:-3] for value in light.values() if re.fullmatch(r"[\d.]+rem", value)]
    sizes = {f"{round(float(rem) * PIXELS_PER_REM)}px" for rem in rems}
    sizes |= {"0", "28px"}  # the largest of --text-xl, which is fluid
    fonts = {value for (_, name), value in rules.items() if name == "font-family"}
    assert len(fonts) == 2  # a serif and a sans, by names that old mail programs know
    for (selector, name), value in rules.items():
        if name in ("margin", "padding", "font-size") and selector != ".hidden":
            assert set(value.split()) <= sizes, (selector, name)
        for colour in re.findall(r"#\w+", value):
            [in_dark] = {dark[token] for token in dark if light[token] == colour}
            expected[selector, name] = value.replace(colour, in_dark)
    assert len(expected) > 15
    assert declarations(dark_mail) == expected
