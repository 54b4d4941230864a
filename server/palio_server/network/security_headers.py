"""What browsers are told with every answer: the least that the page needs, and nothing for anybody else."""

from collections.abc import Mapping

import msgspec

CONTENT = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",  # what boards set by script (CSSOM) is no inline style
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}

# What no page of ours uses. The full screen, of the hall, and the clipboard, of links to be copied, are not here.
UNUSED = (
    "accelerometer", "autoplay", "browsing-topics", "camera", "display-capture", "encrypted-media", "geolocation",
    "gyroscope", "hid", "identity-credentials-get", "idle-detection", "local-fonts", "magnetometer", "microphone",
    "midi", "payment", "publickey-credentials-get", "serial", "usb", "xr-spatial-tracking",
)  # fmt: skip


def policy(other: Mapping[str, str]) -> str:
    """The content policy, with `other` sources for some directives."""
    return "; ".join(f"{what} {where}" for what, where in (CONTENT | dict(other)).items())


FRAMED = {"Content-Security-Policy": policy({"frame-ancestors": "*"})}  # of what other sites may show in a frame
UNFRAMED = ("X-Frame-Options", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy")  # would forbid that

SECURITY = {
    "Content-Security-Policy": policy({}),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": ", ".join(f"{feature}=()" for feature in UNUSED),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

HTTPS_ONLY = {"Strict-Transport-Security": "max-age=31536000"}  # a year; where people reach the server by HTTPS
NOT_KEPT = {"Cache-Control": "no-store"}  # by nobody, of answers that are for the asker alone


def refusal(code: str, reason: str, other: Mapping[str, str] | None = None) -> tuple[dict[str, str], bytes]:
    """Headers and body of a no that no application gives; the connection ends with it."""
    body = msgspec.json.encode({"error": {"code": code, "reason": reason}})
    said = {"Content-Type": "application/json", "Content-Length": str(len(body)), "Connection": "close"}
    return {**said, **SECURITY, **(other or {})}, body
