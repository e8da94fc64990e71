package private

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// An address by the elements of GB/T 23705: administrative areas, a road or an
// estate, and the numbers of gate, building, unit and room.
var (
	hanGate = lazy(`^(?:路|街|道|巷|弄|胡同|里|村|苑|园|庄|区|厦|寓|城|号楼)[东西南北中]?[段路]?` +
		`(?:[0-9０-９]+|[一二三四五六七八九十百]+)(?:号院|号楼|号|弄|栋|幢|座|单元)` +
		`(?:[A-Za-z0-9０-９一二三四五六七八九十\-]{1,6}(?:号楼|号|栋|幢|座|单元|室|楼|层|户|弄))*[0-9]{0,4}`)
	hanRoom = lazy(`^(?:[A-Za-z0-9０-９一二三四五六七八九十]{1,4}(?:号楼|栋|幢|座|期|单元|号|楼|层)){1,4}` +
		`[A-Za-z0-9０-９\-]{1,6}(?:室|户|房|号)`)
	hanArea = lazy(`^\p{Han}{2,7}(?:省|自治区)\p{Han}{2,7}(?:市|州|盟|地区)(?:\p{Han}{1,6}(?:区|县|旗|市))?|` +
		`^\p{Han}{2,5}市\p{Han}{2,5}(?:区|县|镇)`)
)

// numbering stands behind the name of a road or an estate.
const numbering = "0123456789０１２３４５６７８９一二三四五六七八九十百东西南北中段路楼"

// breaks end, before an address, what is not part of it.
const breaks = "在到至住于是为址往送寄达了"

// hanPlace looks at a character that may end the name of a road, an estate or an
// area.
func (f *personFinder) hanPlace(i int, r rune, size int) int {
	if strings.ContainsRune("路街道巷弄胡里村苑园庄区厦寓城号", r) {
		if next, _ := utf8.DecodeRuneInString(f.s[i+size:]); strings.ContainsRune(numbering, next) {
			if to := f.hanAddress(i, hanGate().FindStringIndex(f.ahead(i))); to > 0 {
				return to
			}
		}
		if next := i + size; next < len(f.s) && (digit(f.s[next]) || f.s[next] >= 'A' && f.s[next] <= 'Z') {
			if loc := hanRoom().FindStringIndex(f.ahead(next)); loc != nil {
				return f.hanAddress(i, []int{0, size + loc[1]})
			}
		}
	}
	if (r == '省' || r == '市') && f.page.words != nil {
		if from := f.hanStart(i); from < i {
			if loc := hanArea().FindStringIndex(f.ahead(from)); loc != nil && from+loc[1] > i && f.hanPlaced(from) {
				return f.add(from, from+loc[1], Address)
			}
		}
	}
	return 0
}

// hanPlaced reports whether a word for an address ended shortly before from.
func (f *personFinder) hanPlaced(from int) bool {
	before := f.s[max(0, from-4*near):from]
	for _, word := range []string{"地址", "住址", "住在", "位于", "寄到", "送到", "籍贯", "寄往"} {
		if k := strings.LastIndex(before, word); k >= 0 {
			gap := before[k+len(word):]
			return len(gap) < near && !strings.ContainsAny(gap, ".[\n。！？")
		}
	}
	return false
}

// hanAddress adds the address whose last road or estate stands at i, from where
// it begins.
func (f *personFinder) hanAddress(i int, loc []int) int {
	if loc == nil {
		return 0
	}
	from := f.hanStart(i)
	if from == i {
		return 0
	}
	to := i + loc[1]
	if more := hanRoom().FindStringIndex(f.ahead(to)); more != nil {
		to += more[1]
	}
	for len(f.out) > 0 && f.out[len(f.out)-1].from >= from { // a part of it
		f.out = f.out[:len(f.out)-1]
	}
	_, size := utf8.DecodeRuneInString(f.s[i:])
	f.out = append(f.out, find{from: from, to: to, kind: Address, street: from, streetEnd: i + size})
	return to
}

// hanStart goes back from i over the names of areas to where an address begins.
// A name has at most seven characters, and all of them are bounded.
func (f *personFinder) hanStart(i int) int {
	const most, all = 7, 24
	from := i
	for n, total := 0, 0; n < most && total < all; n, total = n+1, total+1 {
		r, size := utf8.DecodeLastRuneInString(f.s[:from])
		if !unicode.Is(unicode.Han, r) || strings.ContainsRune(breaks, r) {
			break
		}
		if strings.ContainsRune("省市州盟区县旗镇乡道路村", r) {
			n = 0
		}
		from -= size
	}
	return from
}
