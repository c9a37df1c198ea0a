package param

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

func TestFromQuery(t *testing.T) {
	t.Parallel()
	for query, want := range map[string][]Param{
		"":                             nil,
		"a=1&b=2":                      {{Name: "a", Value: "1"}, {Name: "b", Value: "2"}},
		"a=x+y%20z&b":                  {{Name: "a", Value: "x y z"}, {Name: "b", Value: ""}},
		"a=50%+off&b=100%":             {{Name: "a", Value: "50% off"}, {Name: "b", Value: "100%"}},
		"a=%zz&b=%4&c=%%41":            {{Name: "a", Value: "%zz"}, {Name: "b", Value: "%4"}, {Name: "c", Value: "%A"}},
		"a%=1&100%25=2":                {{Name: "a%", Value: "1"}, {Name: "100%", Value: "2"}},
		"a=1&amp;b=2&amp;c=3":          {{Name: "a", Value: "1"}, {Name: "b", Value: "2"}, {Name: "c", Value: "3"}},
		"a=1&amp;amp;b=2":              {{Name: "a", Value: "1"}, {Name: "b", Value: "2"}},
		"a=1&AMP;b=2&#038;c=3&#38;d=4": {{Name: "a", Value: "1"}, {Name: "b", Value: "2"}, {Name: "c", Value: "3"}, {Name: "d", Value: "4"}},
		"amp=1&amplitude=2&#=3":        {{Name: "amp", Value: "1"}, {Name: "amplitude", Value: "2"}, {Name: "#", Value: "3"}},
		"a=b=c":                        {{Name: "a", Value: "b=c"}},
		"a=%D0%BF%D1%80%D0%B8%D0":      {{Name: "a", Value: "при"}},
		"a=\xd0\xbf":                   {{Name: "a", Value: "п"}},
		"a=%FF%FE%FD&b=2":              {{Name: "a", IsLost: true}, {Name: "b", Value: "2"}},
		"%FF=1&b=2":                    {{Name: "", Value: "1"}, {Name: "b", Value: "2"}},
	} {
		if got := FromQuery(query, Clues{}); !slices.Equal(got, want) {
			t.Errorf("%+v: %+v, want %+v", query, got, want)
		}
	}
}

// TestNextReadsLikeTheStandardLibrary compares the results for usual queries with url.ParseQuery.
func TestNextReadsLikeTheStandardLibrary(t *testing.T) {
	t.Parallel()
	for query, usual := range map[string]bool{
		"a=1": true, "a=x+y": true, "a=%C3%A4&b=%26": true, "ä=ö": true, "amp=1": true,
		"a=%": false, "a=1&amp;b=2": false, "a=%E4": false, "%zz=1": false,
	} {
		allUsual, unread := true, query
		got := url.Values{}
		for unread != "" {
			var p Param
			var ok bool
			p, unread, ok = Next(unread)
			got.Add(p.Name, p.Value)
			allUsual = allUsual && ok
		}
		want, err := url.ParseQuery(query)
		if allUsual != usual || usual && (err != nil || got.Encode() != want.Encode()) {
			t.Errorf("%q: usual %v, %v, want %v", query, allUsual, got, want)
		}
	}
}

func encoded(tb testing.TB, e encoding.Encoding, text string) string {
	tb.Helper()
	s, err := e.NewEncoder().String(text)
	if err != nil {
		tb.Fatalf("%q: %v", text, err)
	}
	return s
}

var texts = []struct{ charset, language, text string }{
	{"windows-1251", "ru-RU,ru;q=0.9", "привет"},
	{"windows-1251", "ru", "Купить iPhone 15 в Москве"},
	{"koi8-r", "ru", "погода в москве"},
	{"ibm866", "ru", "погода"},
	{"iso-8859-5", "ru", "новости"},
	{"windows-1251", "uk", "їжа і ґанок"},
	{"windows-1251", "bg", "добре дошли"},
	{"gbk", "zh-CN,zh;q=0.9", "双色球qq群"},
	{"gbk", "zh", "手机壳"},
	{"gb18030", "zh", "天气预报"},
	{"big5", "zh-TW", "天氣預報"},
	{"big5", "zh-Hant-HK", "香港新聞"},
	{"shift_jis", "ja", "東京の天気"},
	{"euc-jp", "ja", "東京の天気"},
	{"shift_jis", "ja-JP", "スマホケース"},
	{"euc-kr", "ko", "안녕하세요"},
	{"windows-1253", "el", "καλημέρα"},
	{"iso-8859-7", "el", "Ελλάδα νέα"},
	{"windows-1255", "he", "שלום עולם"},
	{"windows-1256", "ar", "مرحبا"},
	{"windows-874", "th", "สวัสดี"},
	{"windows-1252", "fr-FR,fr;q=0.9,en;q=0.8", "crème brûlée"},
	{"windows-1252", "de", "Größe für Männer"},
	{"windows-1252", "es", "niños pequeños"},
	{"iso-8859-1", "pt-BR", "promoções"},
	{"windows-1250", "pl", "żółw"},
	{"iso-8859-2", "hu", "időjárás"},
	{"windows-1254", "tr", "çocuk ayakkabısı"},
	{"windows-1257", "lt", "žvejyba"},
	{"windows-1252", "en-US,en;q=0.9", "café"},
	{"windows-1251", "en", "привет"},
	{"windows-1251", "", "купить смартфон недорого"},
	{"koi8-r", "", "погода в москве"},
	{"windows-1252", "", "Müller"},
}

// TestCharset checks texts in the charsets of their senders. If the charset is stated, each text must be read correctly. If only
// the language is known, each text must be read correctly or be empty, and must never become other letters.
func TestCharset(t *testing.T) {
	t.Parallel()
	const maxEmpty = 14
	empty := 0
	for _, c := range texts {
		e, err := htmlindex.Get(c.charset)
		if err != nil {
			t.Fatal(err)
		}
		raw := encoded(t, e, c.text)
		for _, language := range []string{"", c.language} {
			if got := (Clues{Charset: c.charset, Language: language}).UTF8(raw); got != c.text {
				t.Errorf("%s with the stated charset %s is read as %q", c.text, c.charset, got)
			}
		}
		got := Clues{Language: c.language}.UTF8(raw)
		if got == "" {
			empty++
			t.Logf("%s in %s, read for the language %q, is empty", c.text, c.charset, c.language)
		} else if got != c.text {
			t.Errorf("%s in %s is read as %q for the language %q, want the same text or an empty text", c.text, c.charset, got, c.language)
		}
		for _, other := range []string{"", "en-US", "ru", "zh-CN", "ja", "ko", "fr", "pl", "he", "el", "th", "ar"} {
			if c.language == "th" && other == "zh-CN" { // these bytes are also common Chinese characters
				continue
			}
			if got := (Clues{Language: other}).UTF8(raw); got != "" && got != c.text {
				t.Errorf("%s in %s is read as %q for the wrong language %q, want the same text or an empty text", c.text, c.charset, got, other)
			}
		}
	}
	if empty > maxEmpty {
		t.Errorf("%d of %d texts are read as empty, at most %d may be", empty, len(texts), maxEmpty)
	}
}

// TestForeignWordsAreNoRussian checks Hebrew, Greek and Thai words, whose bytes are lower-case letters in a Cyrillic charset.
func TestForeignWordsAreNoRussian(t *testing.T) {
	t.Parallel()
	for e, list := range map[*charmap.Charmap]string{
		charmap.Windows1255: "שלום ישראל ירושלים מזגאוויר חדשות טלפון מחשב בגדים נעליים רכבים דירות להשכרה עבודה משחקים אוכל מתכונים",
		charmap.Windows1253: "καιρος ελλαδα νεα παιχνιδια δωρεαν αθηνα αυτοκινητα τηλεφωνο ταινιες τραγουδια συνταγες ξενοδοχεια",
		charmap.Windows874:  "สวัสดี ประเทศไทย กรุงเทพ อาหาร โทรศัพท์ รถยนต์ เกม ข่าววันนี้",
	} {
		for word := range strings.FieldsSeq(list) {
			if got := (Clues{}).UTF8(encoded(t, e, word)); got != "" {
				t.Errorf("%s is read as %s, want an empty text", word, got)
			}
		}
	}
}

func TestStatedCharset(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"ie=gbk&q=%CB%AB%C9%AB":                  "双色",
		"ie=gb2312&q=%CD%A8":                     "通", // the two bytes are also valid UTF-8
		"q=%CB%AB%C9%AB&_charset_=GB18030":       "双色",
		"charset=windows-1252&q=caf%E9":          "café",
		"charset=windows-1252&q=caf%C3%A9":       "café", // the stated charset is wrong: the text is UTF-8
		"charset=windows-1251&q=%D0%B4%D0%B0":    "да",
		"charset=gbk&q=%E4%BD%A0%E5%A5%BD":       "你好",
		"charset=utf-8&q=%EF%F0%E8%E2%E5%F2":     "привет",
		"charset=klingon&q=%EF%F0%E8%E2%E5%F2":   "привет",
		"charset=windows-1252&q=a%81b":           "",
		"charset=shift_jis&q=%FF":                "",
		"charset=iso-2022-jp&q=%1B$B%46%7C%1B(B": "日",
	} {
		list := FromQuery(query, Clues{})
		i := slices.IndexFunc(list, func(p Param) bool { return p.Name == "q" })
		if list[i].Value != want {
			t.Errorf("%s: %q, want %q", query, list[i].Value, want)
		}
	}
}

func TestFromBody(t *testing.T) {
	t.Parallel()
	const form, object = "application/x-www-form-urlencoded", "application/json; charset=utf-8"
	utf16 := encoded(t, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), `{"a":"é"}`)
	for name, c := range map[string]struct {
		kind, body string
		want       []Param
		err        error
	}{
		"form":               {form, "a=1&b=x+y", []Param{{Name: "a", Value: "1"}, {Name: "b", Value: "x y"}}, nil},
		"form, byte order":   {form, "\xef\xbb\xbfa=1&amp;b=2", []Param{{Name: "a", Value: "1"}, {Name: "b", Value: "2"}}, nil},
		"stated charset":     {form + "; charset=windows-1251", "a=%E4%E0&b=%E5", []Param{{Name: "a", Value: "да"}, {Name: "b", Value: "е"}}, nil},
		"object":             {object, `{"z":1.50,"a":"é","n":null,"l":[1, 2],"o":{"x":1},"t":true,"z":2}`, []Param{{Name: "z", Value: "1.50"}, {Name: "a", Value: "é"}, {Name: "l", Value: "[1, 2]"}, {Name: "o", Value: `{"x":1}`}, {Name: "t", Value: "true"}, {Name: "z", Value: "2"}}, nil},
		"no content type":    {"", " {\"a\":\"1\"}\n", []Param{{Name: "a", Value: "1"}}, nil},
		"object, byte order": {object, "\xef\xbb\xbf{\"a\":\"1\"}", []Param{{Name: "a", Value: "1"}}, nil},
		"object in UTF-16":   {object, utf16, []Param{{Name: "a", Value: "é"}}, nil},
		"object in GBK":      {"application/json; charset=gbk", "{\"a\":\"\xcb\xab\x95\x5c\"}", []Param{{Name: "a", Value: "双昞"}}, nil},
		"object, no UTF-8":   {object, "{\"a\":\"\xff\xfe\",\"b\":\"2\"}", []Param{{Name: "a", IsLost: true}, {Name: "b", Value: "2"}}, nil},
		"empty object":       {object, "{}", nil, nil},
		"list":               {object, "[1]", nil, ErrJSON},
		"half an object":     {object, `{"a":1`, nil, ErrJSON},
		"two objects":        {object, `{"a":1}{"b":2}`, nil, ErrJSON},
		"nothing":            {"application/json", "", nil, nil},
		"null":               {object, "null\n", nil, nil},
		"an empty list":      {object, "[]", nil, nil},
		"an empty text":      {object, `""`, nil, nil},
		"a text":             {object, `"a=1"`, nil, ErrJSON},
		"a NUL at the end":   {object, "{\"a\":\"1\"}\x00", []Param{{Name: "a", Value: "1"}}, nil},
		"a form as JSON":     {object, "a=1&b=%C3%A9\r\n", []Param{{Name: "a", Value: "1"}, {Name: "b", Value: "é"}}, nil},
		"no parts":           {"multipart/form-data", "", nil, nil},
		"parts": {
			"multipart/form-data; boundary=X",
			"--X\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\n1\r\n--X\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\nno\r\n" +
				"--X\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n2\r\n--X--\r\n",
			[]Param{{Name: "b", Value: "1"}, {Name: "a", Value: "2"}},
			nil,
		},
		"no boundary": {"multipart/form-data", "x", nil, ErrForm},
	} {
		got, err := FromBody(c.kind, []byte(c.body), Clues{})
		if !slices.Equal(got, c.want) || err != c.err { //nolint:errorlint // FromBody returns its errors unwrapped
			t.Errorf("%s: got %+v, %v, want %+v, %v", name, got, err, c.want, c.err)
		}
	}
}

// TestOneBrokenTextCostsNoOther checks which texts of a message are kept if another text of the message is not UTF-8.
func TestOneBrokenTextCostsNoOther(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"caf%C3%A9": "café", "%C3%A9": "é", "%D0%B4%D0%B0": "да", "%E4%BD%A0": "你", "50%": "50%", "a+b": "a b",
		"%CB%AB%C9%AB": "", // in UTF-8 two letters that are very rare, in GBK two common characters
	} {
		if got := FromQuery("a=%FF%FE%FD&b="+value, Clues{}); got[0].Value != "" || got[1].Value != want {
			t.Errorf("beside a broken value, %s is read as %+v, want %q", value, got, want)
		}
	}
}

func BenchmarkNext(b *testing.B) {
	for name, query := range map[string]string{
		"usual": "sub1=abc&sub2=d&sub3=4711&utm=x", "escaped": "sub1=a%20c&sub2=d+e&sub3=%C3%A4&utm=x", "unusual": "sub1=50%&amp;sub2=d",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for unread := query; unread != ""; {
					_, unread, _ = Next(unread)
				}
			}
		})
	}
}

// FuzzQuery checks that FromQuery returns UTF-8, and that Next reads a usual parameter in the same way as url.QueryUnescape.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"a=1&amp;b=%", "a=%EF%F0%E8%E2%E5%F2", "ie=gbk&q=%CB%AB", "&&=&%=%%", "charset=iso-2022-jp&a=\x1b$B"} {
		f.Add(seed, "zh-CN,ru;q=0.5")
	}
	f.Fuzz(func(t *testing.T, query, language string) {
		for _, p := range FromQuery(query, Clues{Language: language}) {
			if !utf8.ValidString(p.Name) || !utf8.ValidString(p.Value) {
				t.Fatalf("the name or the value of a parameter is not UTF-8: %+v", p)
			}
		}
		for unread := query; unread != ""; {
			pair, _, _ := strings.Cut(unread, "&")
			var p Param
			var usual bool
			p, unread, usual = Next(unread)
			if !usual {
				continue
			}
			name, value, _ := strings.Cut(pair, "=")
			n, err1 := url.QueryUnescape(name)
			v, err2 := url.QueryUnescape(value)
			if err1 != nil || err2 != nil || n != p.Name || v != p.Value {
				t.Fatalf("Next reads %+v as %+v, but url.QueryUnescape gives %q and %q", pair, p, n, v)
			}
		}
	})
}

// FuzzBody checks that reading any body does not panic and gives texts in UTF-8.
func FuzzBody(f *testing.F) {
	f.Add("application/json", []byte(`{"a":"\ud800","b":[{}]}`))
	f.Add("multipart/form-data; boundary=X", []byte("--X\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\xff\r\n--X--"))
	f.Add("text/plain; charset=gbk", []byte("\xff\xfea\x00"))
	f.Fuzz(func(t *testing.T, kind string, body []byte) {
		list, err := FromBody(kind, body, Clues{})
		if err != nil && list != nil {
			t.Fatalf("FromBody returns both parameters and an error: %+v, %v", list, err)
		}
		for _, p := range list {
			if !utf8.ValidString(p.Name) || !utf8.ValidString(p.Value) {
				t.Fatalf("the name or the value of a parameter is not UTF-8: %+v", p)
			}
		}
	})
}
