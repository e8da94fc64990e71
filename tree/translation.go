package tree

import "slices"

// Translation is what an experience says in the language that is not Node.Lang: Chinese of an
// English one, English of a Chinese one. Check and Mistake are those of one lesson.
type Translation struct {
	Lesson      string   `json:"lesson"` // id of the lesson
	Title       string   `json:"title,omitempty"`
	Check       string   `json:"check"`
	Mistake     string   `json:"mistake,omitempty"`
	AppliesWhen []string `json:"appliesWhen,omitempty"`
}

// Texts returns the texts of o, none for nil.
func (o *Translation) Texts() []string {
	if o == nil {
		return nil
	}
	return append([]string{o.Title, o.Check, o.Mistake}, o.AppliesWhen...)
}

// In returns n as it reads in lang: n itself, or a copy with the words of Content.Other
// if these are in lang. What depends on the old words, such as the description, is left
// out of the copy. Its lesson keeps its id.
func (n *Node) In(lang string) *Node {
	o := n.Content.Other
	if o == nil || lang != otherLang(n.Lang) {
		return n
	}
	at := slices.IndexFunc(n.Content.Lessons, func(l Lesson) bool { return l.ID == o.Lesson })
	if at < 0 { // trees were merged, and its lesson is another's now
		return n
	}
	c := n.Clone()
	c.Lang, c.Content.Other = lang, nil
	c.Content.Title, c.Content.Description, c.Content.Guidance = o.Title, o.Mistake, o.Check
	c.Content.AppliesWhen, c.Content.NotWhen = slices.Clone(o.AppliesWhen), nil
	l := &c.Content.Lessons[at]
	l.Check, l.Mistake, l.Instead = o.Check, o.Mistake, ""
	return &c
}

func otherLang(lang string) string {
	if lang == "zh" {
		return "en"
	}
	return "zh"
}
