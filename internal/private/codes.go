package private

import "strings"

// hash looks at what stands behind #: an order, seldom a colour.
func (f *personFinder) hash(i int) int {
	end, _ := tokenEnd(f.s, i+1)
	w := f.s[i+1 : end]
	digits := countDigits(w)
	switch {
	case digits == 0, colour().MatchString(w) && !f.after(number, i):
		return max(end, i+1)
	case digits >= 5:
		return f.add(i, compoundEnd(f.s, end), Number)
	case f.after(number, i) && digits >= 3:
		return f.add(i, compoundEnd(f.s, end), Number)
	case digits >= 4 && digits < len(w):
		return f.likely(i, end, Number)
	}
	return end
}

// code looks at a word with letters and digits, joined by hyphens.
func (f *personFinder) code(i, end int) int {
	w := f.s[i:end]
	if to := f.iban(i, end); to > 0 {
		return to
	}
	if to := f.postcode(i, end); to > 0 {
		return to
	}
	if kind := f.page.known[w]; kind != "" {
		return f.add(i, end, kind)
	}
	d := countDigits(dateIn().ReplaceAllString(w, ""))
	switch {
	case ours().MatchString(w), clock().MatchString(w), size().MatchString(w), strings.HasPrefix(w, "redacted"):
		return end
	case uuid().MatchString(w), d >= 6, account().MatchString(w):
		return f.add(i, end, Number)
	case shortAccount().MatchString(w):
		return f.likely(i, end, Number)
	case quantity().MatchString(w):
		return end
	case f.after(number, i) && d >= 1 && len(w) >= 5:
		return f.add(i, end, Number)
	case f.after(postal, i) && d >= 2:
		return f.add(i, end, Address)
	case d >= 4, d >= 2 && len(w) >= 6 && strings.ToUpper(w) == w && !strings.ContainsAny(w, "-_"):
		return f.likely(i, end, Number)
	}
	return end
}

// iban finds an account of ISO 13616, in one or in groups of four.
func (f *personFinder) iban(i, end int) int {
	w := f.s[i:end]
	if len(w) < 4 || !ibanHead().MatchString(w) {
		return 0
	}
	if loc := ibanRest().FindStringIndex(f.ahead(end)); loc != nil {
		end += loc[1]
	}
	n := len(strings.ReplaceAll(f.s[i:end], " ", ""))
	if n < 15 || n > 34 || countDigits(f.s[i:end]) < 8 {
		return 0
	}
	return f.add(i, end, Number)
}

// postcode finds those with letters: British and Canadian ones (UPU S42).
func (f *personFinder) postcode(i, end int) int {
	if end-i > 4 {
		return 0
	}
	if loc := letterPostcode().FindStringIndex(f.ahead(i)); loc != nil {
		return f.add(i, i+loc[1], Address)
	}
	return 0
}
