package text

// Edits returns the number of bytes that have to be inserted, deleted or replaced to turn a into b (Levenshtein).
func Edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			is := before
			if a[i] != b[j] {
				is = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], is
		}
	}
	return row[len(b)]
}
