package private

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// surnames are the hundred most frequent of one character in the Ministry of
// Public Security's report on names of 2020, those of its reports of 2018 and
// 2019 that fell out (欧汤), and other writings of two (傅 of 付, 阎 of 闫).
var surnames = runes(`王李张刘陈杨黄赵吴周徐孙马朱胡郭何林罗高郑梁谢宋唐许韩邓冯曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任卢姚沈钟姜
崔谭陆范汪廖石金韦贾夏付方邹熊白孟秦邱侯江尹薛闫段雷龙黎史陶贺毛郝顾龚邵万覃武钱戴严莫孔向常欧汤傅阎`)

// compound surnames have two characters: those of the Hundred Family Surnames
// (百家姓) that are borne today.
var compound = map[string]bool{
	"欧阳": true, "司马": true, "上官": true, "诸葛": true, "东方": true, "皇甫": true, "尉迟": true, "公孙": true, "令狐": true, "慕容": true,
	"宇文": true, "长孙": true, "夏侯": true, "司徒": true, "司空": true,
}

// compoundHeads are their first characters.
var compoundHeads = heads(slices.Collect(maps.Keys(compound)))

// hanNameCues stand before a name: fields of GB/T 35273 Annex A and of the forms
// of parcels, journeys, banks and hospitals.
var hanNameCues = []string{
	"姓名", "名字", "联系人", "收货人", "收件人", "寄件人", "发件人", "持卡人", "开户人", "户名", "乘客", "乘车人", "乘机人", "旅客", "患者", "病人", "申请人", "负责人",
	"经办人", "法定代表人", "法人", "投保人", "被保险人", "入住人", "签收人", "我叫", "名叫",
}

// hanRoles stand before a name too, and before other words: 用户为金牌会员.
var hanRoles = []string{"用户名称", "用户", "客户", "会员", "员工", "学生", "买家", "卖家", "业主", "租客", "我是", "你是"}

// nameCueHeads are the first characters of both.
var nameCueHeads = heads(append(slices.Clone(hanNameCues), hanRoles...))

// What stands behind a surname or a name: hanTitles address a person, and
// hanPosts are words of an organisation too: 高级经理.
var (
	hanTitles = []string{"先生", "女士", "小姐", "太太"}
	hanPosts  = []string{"老师", "医生", "经理", "教授", "师傅", "同学"}
)

// titleHeads are the first characters of both, and notInName are words of one
// character that go on after a name.
var titleHeads = heads(slices.Concat(hanTitles, hanPosts))

const notInName = "的在和与及是已将把从向被给来去说称住有于想要需"

// plates of vehicles (GA 36): province, authority, five or six characters.
var plate = lazy(`^[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-Z][ ·•]?[A-HJ-NP-Z0-9]{4,5}[A-HJ-NP-Z0-9学警港澳挂领]`)

// han looks at one Chinese character.
func (f *personFinder) han(i int, r rune, size int) int {
	for _, c := range hanCues[r] {
		if strings.HasPrefix(f.s[i:], c.word) {
			f.hanHear(c.cue, i+len(c.word))
		}
	}
	if nameCueHeads[r] {
		if to := f.hanCalled(i); to > 0 {
			return to
		}
	}
	if next := i + size; next < len(f.s) && f.s[next] >= 'A' && f.s[next] <= 'Z' {
		if loc := plate().FindStringIndex(f.ahead(i)); loc != nil && countDigits(f.s[i:i+loc[1]]) > 0 {
			return f.add(i, i+loc[1], Number)
		}
	}
	if surnames[r] || compoundHeads[r] {
		if to := f.hanTitled(i); to > 0 {
			return to
		}
	}
	if to := f.hanPlace(i, r, size); to > 0 {
		return to
	}
	return i + size
}

func (f *personFinder) hanHear(c cue, end int) {
	f.hear(c, end)
	if c != birth {
		return
	}
	if loc := hanDate().FindStringSubmatchIndex(f.ahead(end)); loc != nil {
		f.add(end+loc[2], end+loc[3], Date)
	}
}

var hanDate = lazy(`^[\p{Han}]{0,2}[:： ]{0,2}((?:19|20)\d\d ?年 ?\d{1,2} ?月(?: ?\d{1,2} ?日)?)`)

// hanCalled finds a name behind its cue.
func (f *personFinder) hanCalled(i int) int {
	for _, cue := range hanNameCues {
		if strings.HasPrefix(f.s[i:], cue) {
			at, said := f.hanSays(i + len(cue))
			said = said || cue == "我叫" || cue == "名叫"
			if to := f.hanName(at); to > 0 && (said || f.hanLikely(at, to)) {
				return f.add(at, to, Name)
			}
			if end, n, _ := f.run(at); n > 1 && (said || cue == "姓名") {
				return f.add(at, end, Name)
			}
		}
	}
	for _, role := range hanRoles {
		if strings.HasPrefix(f.s[i:], role) {
			at, said := f.hanSays(i + len(role))
			if to := f.hanName(at); to > 0 && f.hanLikely(at, to) {
				return f.add(at, to, Name)
			}
			if end, n, starts := f.run(at); n > 1 && said && f.allRare(starts) {
				return f.add(at, end, Name)
			}
		}
	}
	return 0
}

// hanSays goes over what stands between a cue and a name. It reports whether
// that says that a name follows, as a colon and 是 do.
func (f *personFinder) hanSays(at int) (int, bool) {
	said := false
	for n := 0; at < len(f.s) && n < 4; n++ {
		r, size := utf8.DecodeRuneInString(f.s[at:])
		if !strings.ContainsRune(`:：=是为叫"“'‘「『 `, r) {
			break
		}
		said = said || r != ' '
		at += size
	}
	return at, said
}

// hanLikely reports whether what looks like a name is rare and no part of a
// longer word.
func (f *personFinder) hanLikely(from, to int) bool {
	return f.hanEnds(to) && f.page.rare(f.s[from:to])
}

// hanSurname returns where the surname at i ends, or i.
func (f *personFinder) hanSurname(i int) int {
	if two := hanEnd(f.s, i, 2); two > 0 && compound[f.s[i:two]] {
		return two
	}
	if r, size := utf8.DecodeRuneInString(f.s[i:]); surnames[r] {
		return i + size
	}
	return i
}

// hanName returns where the name at i ends, or 0: a surname and one or two
// characters more, up to what plainly is none; or parts joined by ·.
func (f *personFinder) hanName(i int) int {
	if !isHan(f.s[i:]) {
		return 0
	}
	if loc := dotted().FindStringIndex(f.ahead(i)); loc != nil {
		return i + loc[1]
	}
	surname := f.hanSurname(i)
	if surname == i {
		return 0
	}
	first := hanEnd(f.s, surname, 1)
	if first == 0 {
		return 0
	}
	second := hanEnd(f.s, first, 1)
	if r := firstRune(f.s[first:]); second == 0 || strings.ContainsRune(notInName, r) || titleHeads[r] {
		return first
	}
	return second
}

var dotted = lazy(`^\p{Han}{2,8}[·•]\p{Han}{2,8}`)

// hanEnds reports whether what stands at i cannot go on a word that began before.
func (f *personFinder) hanEnds(i int) bool {
	r, _ := utf8.DecodeRuneInString(f.s[i:])
	return !unicode.Is(unicode.Han, r) || strings.ContainsRune(notInName, r)
}

// hanTitled finds a name before 先生 and the like.
func (f *personFinder) hanTitled(i int) int {
	surname := f.hanSurname(i)
	if surname == i {
		return 0
	}
	for n := 2; n >= 0; n-- {
		end := hanEnd(f.s, surname, n)
		if end == 0 {
			continue
		}
		if begins(f.s[end:], hanTitles) || begins(f.s[end:], hanPosts) && f.page.words != nil && f.page.rare(f.s[i:end]) {
			return f.add(i, end, Name)
		}
	}
	return 0
}

// begins reports whether s begins with one of the words.
func begins(s string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(s, w) })
}

// heads returns the first characters of words.
func heads(words []string) map[rune]bool {
	out := map[rune]bool{}
	for _, w := range words {
		out[firstRune(w)] = true
	}
	return out
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func runes(s string) map[rune]bool {
	out := map[rune]bool{}
	for _, r := range s {
		if r != '\n' {
			out[r] = true
		}
	}
	return out
}
