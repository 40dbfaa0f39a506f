"""The currencies of prices: the codes in use of ISO 4217, without funds and precious metals.

Source: list one of ISO 4217, as its maintenance agency SIX publishes it.
"""

from decimal import Decimal

CURRENCIES = frozenset(
    """
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD
    CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP
    GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD
    KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN
    NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP
    SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES
    VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
    """.split()  # noqa: SIM905 - a hundred and fifty quoted codes would not be read
)
SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£"}
"""Currency signs, written before the amount; `$` is the US dollar."""


def amount_in_words(amount: Decimal, currency: str) -> str:
    """Format an amount of money: `$20`, `$0.075`, `1,500 JPY`, and `Free` for 0."""
    if amount == 0:
        return "Free"
    places = max(2, -int(amount.normalize().as_tuple().exponent)) if amount % 1 else 0
    number = f"{amount:,.{places}f}"
    symbol = SYMBOLS.get(currency)
    return f"{symbol}{number}" if symbol else f"{number} {currency}"
