package piece

// Size is how many live and dead records a file has.
type Size struct{ Live, Dead int }

// Due returns the files to merge next: from the first to before the last; from is -1 if there are none. A state is to
// have files each of which has at least twice as many live records as the next, and not more dead ones than live ones.
// So a state has about log₂(n) files, and a record is rewritten about that often. Files that end up in one are merged
// in one step. A merge of more than most live records, and of busy files, is not due.
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
