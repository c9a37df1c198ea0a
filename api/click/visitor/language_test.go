package visitor

import (
	"strings"
	"testing"

	"switchyard/models/clickattr"
)

func TestLanguages(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]string{
		"": "", "en": "en", "en-US,en;q=0.9": "en", "DE-at": "de", "fil,en": "fil", "*": "", "de;q=0.5": "de", "x": "",
		"english": "", "1n": "", "e-n": "", "en,": "en",

		// The known language with the highest weight wins, and among equal weights the first.
		"en;q=0.8,de":                        "de",
		"en;q=0.2, de;q=0.9, fr;q=0.9":       "de",
		"en;Q=0.2 ,\tfr ; q=0.3":             "fr",
		"*;q=1, pt-BR;q=0.7, en;q=0.9":       "en",
		"da, en-gb;q=0.8, en;q=0.7":          "da",
		"de;level=1;q=0.3, en;q=0.4":         "en",
		"en;q=0.8999,de;q=0.9":               "de",
		"en;q=0.9999,de;q=0.9":               "en",
		"klingon,xx-YY;q=0.9,nl;q=0.8":       "nl",
		"de;q=.5,en;q=0.4":                   "de",
		"de;q=1.000,en":                      "de",
		"sr-Latn-RS,sr;q=0.9,en;q=0.1,*;q=0": "sr",

		// Weight 0 means that the visitor does not accept the language.
		"de;q=0": "", "de;q=0.000, en;q=0.001": "en", "de;q=0,*": "", "de;q=0.0001": "de",

		// Malformed lists are read as far as possible.
		",,en": "en", " , ;q=1, it;q=0.5": "it", "en;q=,de;q=0.1": "de", "fr;q=high": "fr", "fr;q=5,es;q=0.2": "es",
		"fr;q=1.5,es;q=0.2": "es", "fr;q=-1": "fr", ";": "", "q=0.9": "", "en=US,de;q=0.3": "de", "en us,de;q=0.2": "de",

		// Some programs write an underscore.
		"en_US": "en", "zh_CN": "zh", "pt_BR,pt;q=0.9": "pt", "zh_Hans_CN;q=0.5,en_US": "en",

		// Replaced codes, and codes of three letters.
		"iw": "he", "iw-IL,iw;q=0.9,en;q=0.8": "he", "in-ID": "id", "IN_id": "id", "ji": "yi", "mo-MD": "ro", "jw": "jv",
		"heb": "he", "ind": "id", "deu": "de",
	} {
		if got := language(accept); got != want {
			t.Errorf("%q: %q, want %q", accept, got, want)
		}
	}
	if got := language(strings.Repeat("*,", maxLanguages) + "en"); got != "" {
		t.Errorf("member %d of the list is read as %q, want it left out", maxLanguages+1, got)
	}
}

func FuzzLanguage(f *testing.F) {
	for _, seed := range []string{"en-US,en;q=0.9", "*;q=0", "iw_IL;q=.5,,", "de;q=0.0000000000000000001", ";;;=,q"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		got := language(accept)
		if canonical, ok := clickattr.Languages.Find(got); got != "" && (!ok || canonical != got) {
			t.Errorf("%q: %q is known as %q, %v", accept, got, canonical, ok)
		}
		if got != "" && strings.Count(accept, ",") < maxLanguages/2 && language(accept+",*;q=0") != got {
			t.Errorf("%q: a further member of weight 0 changes the language %q", accept, got)
		}
		if strings.Count(accept, ",") < maxLanguages/2 && language("sw,"+accept) != "sw" {
			t.Errorf("%q: a language of full weight in front of it is not preferred", accept)
		}
	})
}

func BenchmarkLanguage(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		language("en-GB,en;q=0.9")
	}
}
