"""The charset of a text that names none, told by its bytes: GB18030, Shift-JIS, EUC-KR, or else Latin-1.

Each is tried on the letters beyond ASCII. A charset in which they are no text is out; of the others the one wins in
which most are common: in Japanese kana and the characters of level 1, in Korean syllables, in Chinese the characters of
level 1, and in each the characters in which names, results and comments of Go are written.
"""

import re

MOST = 1 << 16  # bytes that are looked at
LATIN = "latin-1"
_OFTEN = 3  # times that a character of Go counts
_LEAST = 0.5  # of the letters' mean merit; below it is no text in this charset
_GO = {
    "gb18030": (
        "黑白中盘胜负目半段先让子贴分时日年月杯赛第届国围棋战局轮决手这个是不了在有人我他你好"
        "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚"
        "柯洁古力常昊聂卫平江铸久芮乃伟时越唐韦星芈昱廷党毅飞柁嘉熹连笑檀啸辜梓豪范蕴若辛埈丁浩"
    ),
    "cp932": (
        "黒白中押勝負目半段先番子時日年月杯戦第回国囲碁局手本因坊名人棋聖天元王座十九級院対決コミ"
        "田村山本井上木藤林中小大高川野原島石秀策幻庵丈和道加正夫雄哲治勲武宮坂光一清源呉治張栩依結聡羽根直樹河"
    ),
    "euc-kr": (
        "흑백불계승패집반단제기전국수배선회년월일시대결명인왕위바둑대국해설이김박최정조강윤장임오한신서권황송류홍"
        "창호훈현세돌진서정환철한동윤영훈성재석민준지우원재민규남치하은병목진"
    ),
}
_JAPANESE, _KOREAN = re.compile("[ぁ-んァ-ヶー々]"), re.compile("[가-힣]")


def charset_of(data: bytes) -> str:
    """Return the name of the charset in which `data`, which is no UTF-8, is most likely written.

    >>> charset_of("PB[柯洁]".encode("gb18030")), charset_of("PB[조훈현]".encode("euc-kr"))
    ('gb18030', 'euc-kr')
    >>> charset_of("PB[呉清源]RE[黒中押勝ち]".encode("shift-jis")), charset_of("PB[Müller]".encode("latin-1"))
    ('cp932', 'latin-1')
    """
    merits = {name: _merit(data[:MOST], name) for name in _GO}
    best = max(merits, key=merits.__getitem__)
    return best if merits[best] >= _LEAST else LATIN


def _merit(data: bytes, charset: str) -> float:
    """Return the mean merit of the letters beyond ASCII in this charset; 0 if it is no text in it."""
    try:
        text = data.decode(charset)
    except UnicodeDecodeError as error:
        if error.start < len(data) - 1 or len(data) < MOST:  # else a letter is cut off
            return 0.0
        text = data[: error.start].decode(charset)
    letters = [letter for letter in text if not letter.isascii()]
    if not letters:
        return 0.0
    return sum(_OFTEN if letter in _GO[charset] else _is_common(letter, charset) for letter in letters) / len(letters)


def _is_common(letter: str, charset: str) -> float:
    """Return 1 for a letter that texts of this charset are made of, 0 for others, less for those that prove little."""
    if charset == "cp932" and _JAPANESE.match(letter):
        return _OFTEN
    code = letter.encode(charset)
    if charset == "cp932":
        return float(len(code) == 2 and b"\x81\x41" <= code <= b"\x98\x72")  # signs, kana, level 1
    if charset == "euc-kr":
        return 1.0 if _KOREAN.match(letter) else 0.5 * (code < b"\xb0")
    return 0.95 * (len(code) == 2 and code[1] > 0xA0 and b"\xa1" <= code[:1] <= b"\xd7")  # signs, level 1
