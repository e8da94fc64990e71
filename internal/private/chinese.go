package private

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// notInName are characters that follow a name and do not belong to it.
const notInName = "的在和与及是已将把从向被给来去说称住有于想要需"

// breaks are characters before an address that do not belong to it.
const breaks = "在到至住于是为址往送寄达了"

// The shapes of Chinese addresses, plates, dates and names.
var (
	// plates of vehicles (GA 36): province, authority, five or six characters
	plate   = lazy(`[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-Z][ ·•]?[A-HJ-NP-Z0-9]{4,5}[A-HJ-NP-Z0-9学警港澳挂领]`)
	hanDate = lazy(`[\p{Han}]{0,2}[:： ]{0,2}((?:19|20)\d\d ?年 ?\d{1,2} ?月(?: ?\d{1,2} ?日)?)`)
	dotted  = lazy(`\p{Han}{2,8}[·•]\p{Han}{2,8}`)
	// a road or an estate, and the numbers of gate, building, unit and room (GB/T 23705)
	hanGate = lazy(`(?:路|街|道|巷|弄|胡同|里|村|苑|园|庄|区|厦|寓|城|号楼)[东西南北中]?[段路]?` +
		`(?:[0-9０-９]+|[一二三四五六七八九十百]+)(?:号院|号楼|号|弄|栋|幢|座|单元)` +
		`(?:[A-Za-z0-9０-９一二三四五六七八九十\-]{1,6}(?:号楼|号|栋|幢|座|单元|室|楼|层|户|弄))*[0-9]{0,4}`)
	hanRoom = lazy(`(?:[A-Za-z0-9０-９一二三四五六七八九十]{1,4}(?:号楼|栋|幢|座|期|单元|号|楼|层)){1,4}` +
		`[A-Za-z0-9０-９\-]{1,6}(?:室|户|房|号)`)
)

// han handles the Chinese character at i.
func (f *personFinder) han(i int, r rune, size int) int {
	of, heads := cues()
	for _, w := range heads[r] {
		if strings.HasPrefix(f.s[i:], w) {
			f.hear(of[w], i+len(w))
			if loc := hanDate().FindStringSubmatchIndex(f.ahead(i + len(w))); of[w] == birth && loc != nil {
				f.add(i+len(w)+loc[2], i+len(w)+loc[3], dateKind)
			}
		}
	}
	if to := f.hanCalled(i); to > 0 {
		return to
	}
	if next := i + size; next < len(f.s) && f.s[next] >= 'A' && f.s[next] <= 'Z' {
		if loc := plate().FindStringIndex(f.ahead(i)); loc != nil && countDigits(f.s[i:i+loc[1]]) > 0 {
			return f.add(i, i+loc[1], numberKind)
		}
	}
	if surname := f.hanSurname(i); surname > i { // a name before 先生
		for n := 2; n >= 0; n-- {
			if end := hanEnd(f.s, surname, n); end > 0 && begins(f.s[end:], "titled") {
				return f.add(i, end, nameKind)
			}
		}
	}
	if strings.ContainsRune("路街道巷弄胡里村苑园庄区厦寓城号", r) {
		if to := f.hanAddress(i, size); to > 0 {
			return to
		}
	}
	return i + size
}

// begins reports whether s begins with a word of a kind.
func begins(s, kind string) bool {
	return slices.ContainsFunc(lists()[kind], func(w string) bool { return strings.HasPrefix(s, w) })
}

// called are the characters that a cue of a name begins with.
var called = heads("called")

// heads returns the first characters of the words of a kind, as a set.
func heads(kind string) func() map[rune]bool {
	return sync.OnceValue(func() map[rune]bool {
		out := map[rune]bool{}
		for _, w := range lists()[kind] {
			r, _ := utf8.DecodeRuneInString(w)
			out[r] = true
		}
		return out
	})
}

// hanCalled finds a name behind its cue and a colon, 是 or the like.
func (f *personFinder) hanCalled(i int) int {
	if r, _ := utf8.DecodeRuneInString(f.s[i:]); !called()[r] {
		return 0
	}
	for _, cue := range lists()["called"] {
		if !strings.HasPrefix(f.s[i:], cue) {
			continue
		}
		at, told := i+len(cue), strings.HasSuffix(cue, "叫")
		for n := 0; at < len(f.s) && n < 4; n++ {
			r, size := utf8.DecodeRuneInString(f.s[at:])
			if !strings.ContainsRune(`:：=是为叫"“'‘「『 `, r) {
				break
			}
			told = told || r != ' '
			at += size
		}
		if to := f.hanName(at); to > 0 && told {
			return f.add(at, to, nameKind)
		}
		if end, starts := f.run(at); len(starts) > 1 && (told || cue == "姓名") {
			return f.add(at, end, nameKind)
		}
	}
	return 0
}

// hanSurname returns where the surname at i ends, or i.
func (f *personFinder) hanSurname(i int) int {
	for n := 2; n > 0; n-- {
		if end := hanEnd(f.s, i, n); end > 0 && surnames()[f.s[i:end]] {
			return end
		}
	}
	return i
}

// hanName returns where the name at i ends, or 0. A name is a surname and one or two more characters, up to a
// character that is clearly not part of it, or parts joined by ·.
func (f *personFinder) hanName(i int) int {
	if !isHan(f.s[i:]) {
		return 0
	}
	if loc := dotted().FindStringIndex(f.ahead(i)); loc != nil {
		return i + loc[1]
	}
	surname := f.hanSurname(i)
	first := hanEnd(f.s, surname, 1)
	if surname == i || first == 0 {
		return 0
	}
	second := hanEnd(f.s, first, 1)
	if r, _ := utf8.DecodeRuneInString(f.s[first:]); second == 0 || strings.ContainsRune(notInName, r) ||
		begins(f.s[first:], "titled") || begins(f.s[first:], "post") {
		return first
	}
	return second
}

// hanAddress finds the address that ends its last road or estate with the character at i, from its beginning.
func (f *personFinder) hanAddress(i, size int) int {
	from := f.hanStart(i)
	if from == i {
		return 0
	}
	to := i
	if loc := hanGate().FindStringIndex(f.ahead(i)); loc != nil {
		to += loc[1]
		if more := hanRoom().FindStringIndex(f.ahead(to)); more != nil {
			to += more[1]
		}
	} else if loc := hanRoom().FindStringIndex(f.ahead(i + size)); loc != nil {
		to += size + loc[1]
	} else {
		return 0
	}
	for len(f.out) > 0 && f.out[len(f.out)-1].from >= from { // a part of the address
		f.out = f.out[:len(f.out)-1]
	}
	f.out = append(f.out, foundPart{from: from, to: to, kind: addressKind, street: from, streetEnd: i + size})
	return to
}

// hanStart goes back from i over the names of areas to where an address begins. A name has at most seven
// characters, and all of them are bounded.
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
