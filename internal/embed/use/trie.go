package use

// Both tries are double arrays as in S. Yata's darts-clone, which SentencePiece has in its models: a unit of 32 bits
// for each node. Its low byte is the label, bit 8 is set if a text ends here, and bits 10 to 30 give the distance to
// the children, in steps of 256 if bit 9 is set. A leaf has bit 31 and a value of 31 bits.

// trieWalk follows the bytes of a text through a trie, one by one.
type trieWalk struct {
	trie []byte
	at   uint32
}

func walkOf(trie []byte) trieWalk { return trieWalk{trie, childrenOf(0, unit(trie, 0))} }

// step follows one byte. It returns false if no text of the trie goes on with it. If one ends here, leaf is true and
// value is its value.
func (w *trieWalk) step(c byte) (value uint32, leaf, ok bool) {
	at := w.at ^ uint32(c)
	u := unit(w.trie, at)
	if u&0x800000ff != uint32(c) {
		return 0, false, false
	}
	w.at = childrenOf(at, u)
	if u&0x100 == 0 {
		return 0, false, true
	}
	return unit(w.trie, w.at) & 0x7fffffff, true, true
}

func childrenOf(at, u uint32) uint32 { return at ^ (u>>10)<<((u&0x200)>>6) }

// unit returns a node; one outside the trie has a leaf's bit, which no byte matches.
func unit(trie []byte, at uint32) uint32 {
	if 4*uint64(at)+4 > uint64(len(trie)) {
		return 0x80000000
	}
	return le32(trie, int(4*at))
}
