package piece

// Size is the number of records in a file: Live records are in use, Dead records are not in use any more.
type Size struct{ Live, Dead int }

// Due returns which of n files to merge next into one: those with an index i, from <= i < to. If no merge is due, both
// are -1. size returns the size of file i; busy reports whether file i must not be merged now. Due merges no busy file,
// and no files that together have more than most live records.
//
// A merge is due where a file has less than twice as many live records as the next one, or more dead records than live
// ones. So the number of files grows only with the logarithm of the number of records, as long as most and busy prevent
// no merge.
func Due(n, most int, size func(i int) Size, busy func(i int) bool) (from, to int) {
	for i := n - 1; i >= 0; i-- {
		last := size(i)
		live := last.Live
		if busy(i) || live > most {
			continue
		}
		from := i
		for ; from > 0; from-- {
			before := size(from - 1).Live
			if before >= 2*live || live+before > most || busy(from-1) {
				break
			}
			live += before
		}
		if from < i || last.Dead > live {
			return from, i + 1
		}
	}
	return -1, -1
}
