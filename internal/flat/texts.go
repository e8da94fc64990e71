package flat

// Texts is a list of texts. It shares the memory of the Data from which it was read.
type Texts struct {
	ends Ints   // of each text, in all
	all  string // the texts, one behind the other
}

// AppendTexts appends a list of texts to b.
func AppendTexts(b []byte, list []string) []byte {
	ends, all := make([]int, len(list)), []byte(nil)
	for i, s := range list {
		all = append(all, s...)
		ends[i] = len(all)
	}
	return AppendText(AppendInts(b, ends), all)
}

// Texts returns the next value, a list that AppendTexts wrote.
func (d *Data) Texts() Texts { return Texts{d.Ints(), d.Text()} }

// Len returns the number of texts in the list.
func (l Texts) Len() int { return l.ends.Len() }

// At returns the i-th text, from 0. The text shares the memory of the data. At panics beyond the end.
func (l Texts) At(i int) string {
	begin := 0
	if i > 0 {
		begin = l.ends.At(i - 1)
	}
	return l.all[begin:l.ends.At(i)]
}

// Names is a list of different texts with a hash table, so that Find is fast.
type Names struct {
	Texts
	slots Ints // by hash, open addressing: the place of a text and 1, or 0
}

// AppendNames appends a list of texts to b, with a hash table. No two texts may be equal.
func AppendNames(b []byte, list []string) []byte {
	size := 1
	for size < 2*len(list) {
		size *= 2
	}
	slots := make([]int, size)
	for i, s := range list {
		at := hash(s) & (size - 1)
		for slots[at] != 0 {
			at = (at + 1) & (size - 1)
		}
		slots[at] = i + 1
	}
	return AppendInts(AppendTexts(b, list), slots)
}

// Names returns the next value, a list that AppendNames wrote.
func (d *Data) Names() Names { return Names{d.Texts(), d.Ints()} }

// Find returns the index of the text s in the list, and whether the list has s. If it does not, the index is 0.
func (l Names) Find(s string) (int, bool) {
	last := l.slots.Len() - 1
	for at := hash(s) & last; ; at = (at + 1) & last {
		switch i := l.slots.At(at) - 1; {
		case i < 0:
			return 0, false
		case l.At(i) == s:
			return i, true
		}
	}
}

// hash is FNV-1a of 32 bits (Fowler, Noll and Vo), not negative.
func hash(s string) int {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return int(h & (1<<31 - 1))
}
