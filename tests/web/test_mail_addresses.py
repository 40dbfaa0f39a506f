"""Mail addresses: which are valid, when two are the same, and how they are masked."""

import pytest
from django.core.exceptions import ValidationError

from shipskip.web import mail_addresses
from shipskip.web.mail_addresses import parse


@pytest.mark.parametrize(
    ("typed", "normalised"),
    [
        ("ada@example.org", "ada@example.org"),
        ("  Ada@Example.ORG\t", "ada@example.org"),
        ("ada+weekly@example.org", "ada+weekly@example.org"),
        ("ada.b@straße.example", "ada.b@xn--strae-oqa.example"),
        ("ada@مثال.إختبار.org", "ada@xn--mgbh0fb.xn--kgbechtv.org"),
        ("ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"),
        ("o'hara@example.org", "o'hara@example.org"),
    ],
)
def test_an_address_is_stored_as_typed_and_compared_in_one_form(typed, normalised):
    assert parse(typed) == mail_addresses.MailAddress(typed.strip(), normalised)


def test_an_undeliverable_address_is_refused_with_a_sentence():
    domain = ".".join(["d" * 63, "d" * 63, "d" * 57, "org"])
    longest = f"{'a' * 64}@{domain}"
    assert len(longest) == 254
    assert parse(longest).typed == longest
    words = f"""
        ada @example.org ada@ ada@localhost ada@router.local ada@[127.0.0.1] ada@example..org
        .ada@example.org ada@-x-.org jörg@example.org 用户@例え.jp ada@ex\u202eample.org
        ada@example.org%0aBcc:eve@example.org {"a" * 300} {"a" * 65}@example.org
        {"a" * 288}@example.org a@{"b" * 64}.org a@{"b." * 150}org {"a" * 64}@d{domain}
    """
    spaces = ["", " ", "a b@example.org", "Ada <ada@example.org>", '"a b"@example.org']
    several = ["ada@example.org, eve@example.org", "ada@example.org\nBcc: eve@example.org"]
    for typed in [*words.split(), *spaces, *several, "ada\r\n@example.org", "ada\0@example.org"]:
        with pytest.raises(ValidationError) as refusal:
            parse(typed)
        assert refusal.value.message.endswith("."), typed


def test_mail_is_sent_to_the_local_part_as_typed_and_the_domain_in_ascii():
    address = parse("Ada@Straße.example")
    written = mail_addresses.delivery_address(address.typed, address.normalised)
    assert written == "Ada@xn--strae-oqa.example"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("annette@example.org", "a…e@e…e.org"),
        ("bob@ab.co.uk", "b…@a…o.uk"),
        ("a@b.example", "a…@b….example"),
        ("ada+weekly@bücher.example", "a…y@b…r.example"),
    ],
)
def test_a_masked_address_identifies_nobody(address, shown):
    assert mail_addresses.masked(address) == shown


@pytest.mark.parametrize(
    ("reply", "stored"),
    [
        ("550 5.1.1 <ada@example.org>: no such user", "550 5.1.1 <(address)>: no such user"),
        ("ada+x@bücher.example unknown", "(address) unknown"),
        ("user=ada@example.org;\r\n closed", "(address); closed"),
        ("The mailbox is full", "The mailbox is full"),
    ],
)
def test_no_address_from_a_mail_server_s_answer_is_stored(reply, stored):
    assert mail_addresses.without_addresses(reply) == stored
