package clickattr

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/language"

	"switchyard/models"
	"switchyard/models/country"
)

// Values describes the values that an attribute can have. Each value has one canonical form, which clicks have and reports show.
// Other spellings are accepted and converted. Nil means that any text is a value.
type Values struct {
	// Name is the name of such a value in the documentation, such as CountryCode.
	Name string
	// Open says that a visitor can also have another value, such as the name of a rare browser.
	Open bool

	list  []string          // canonical forms; nil: there are too many to list
	forms map[string]string // maps the plain forms of values and synonyms to canonical forms
	names []string          // plain forms that a mistyped value is compared with
	// parse returns the canonical form of a text that is not in forms. It may be nil.
	parse       func(text string) (canonical string, ok bool)
	description string // describes the values in messages
}

// List returns the canonical forms, or nil if there are too many to list.
func (v *Values) List() []string {
	if v == nil {
		return nil
	}
	return v.list
}

// Find returns the canonical form of a text. ok is false if the text is no value.
func (v *Values) Find(text string) (canonical string, ok bool) {
	if v == nil {
		return text, true
	}
	if len(v.forms) > 0 {
		if canonical, ok := v.forms[plain(text)]; ok {
			return canonical, true
		}
	}
	if v.parse != nil {
		return v.parse(text)
	}
	return "", false
}

// Check returns the canonical form of a text. Its error names the value that was probably meant or, without one, describes the
// values.
func (v *Values) Check(text string) (string, error) {
	if canonical, ok := v.Find(text); ok {
		return canonical, nil
	}
	const shown = 40
	quoted := fmt.Sprintf("%q", models.Cut(text, shown))
	if near := v.near(text); near != "" {
		return text, fmt.Errorf("%s is not a valid value; did you mean %s?", quoted, near)
	}
	return text, fmt.Errorf("%s is not a valid value: it must be %s", quoted, v.description)
}

// Resembles reports whether a text is probably a mistyped value. The text must not be one of the values.
func (v *Values) Resembles(text string) bool { return v.near(text) != "" }

// near returns the value that was probably meant, or "". A text of fewer than four bytes is not compared with names.
func (v *Values) near(text string) string {
	const shortest = 4
	if v.parse != nil {
		for i, r := range text { // texts such as en-US and DE (Germany)
			if !unicode.IsLetter(r) {
				if canonical, ok := v.Find(text[:i]); ok {
					return canonical
				}
				break
			}
		}
	}
	if len(text) < shortest {
		return ""
	}
	return v.forms[models.Nearest(plain(text), v.names)] // "" if no name is similar
}

// plain returns a text in lower case, without spaces and punctuation. The signs !, * and % stay, and so does a sign at the
// beginning, so that neither !DE nor -DE becomes de.
func plain(text string) string {
	var out strings.Builder
	for i, r := range text {
		if i > 0 && (unicode.IsSpace(r) || unicode.IsPunct(r) && r != '!' && r != '*' && r != '%') {
			continue
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}

// oneOf returns Values with a fixed list of values. synonyms maps other spellings to values.
func oneOf(name string, list []string, synonyms map[string]string) *Values {
	v := &Values{Name: name, list: list, forms: map[string]string{}, description: "one of " + strings.Join(list, ", ")}
	for text, canonical := range synonyms {
		v.forms[plain(text)] = canonical
	}
	for _, canonical := range list {
		v.forms[plain(canonical)] = canonical
	}
	v.names = slices.Sorted(maps.Keys(v.forms))
	return v
}

// The values of attributes.
var (
	Countries = countries()

	Continents = oneOf("ContinentCode", []string{"AF", "AN", "AS", "EU", "NA", "OC", "SA"}, map[string]string{
		"Africa": "AF", "Antarctica": "AN", "Asia": "AS", "Europe": "EU", "North America": "NA", "Oceania": "OC",
		"Australia": "OC", "South America": "SA",
	})

	Languages = &Values{
		Name:        "LanguageCode",
		description: "a language's code of ISO 639, as in en or pt",
		parse: func(text string) (string, bool) {
			base, err := language.ParseBase(text)
			if err != nil {
				return "", false
			}
			code := base.String()
			if replaced, ok := replacedLanguages[code]; ok {
				code = replaced
			}
			return code, true
		},
	}

	ConnectionTypes = oneOf("ConnectionType", []string{
		"cellular", "cable_dsl", "corporate", "dialup", "satellite", "wifi",
	}, map[string]string{
		"mobile": "cellular", "mob": "cellular", "3g": "cellular", "4g": "cellular", "5g": "cellular", "lte": "cellular",
		"carrier": "cellular", "cable": "cable_dsl", "dsl": "cable_dsl", "isp": "cable_dsl", "broadband": "cable_dsl",
		"business": "corporate", "com": "corporate", "dial": "dialup", "sat": "satellite", "wlan": "wifi",
	})

	ProxyKinds = oneOf("ProxyKind", []string{"none", "vpn", "proxy", "tor", "datacenter", "relay"}, map[string]string{
		"hosting": "datacenter", "data_centre": "datacenter", "tor_exit": "tor", "tor_exit_node": "tor",
		"public_proxy": "proxy", "private_relay": "relay",
	})

	DeviceTypes = oneOf("DeviceType",
		[]string{"desktop", "mobile", "tablet", "console", "tv", "wearable", "car", "bot", "unknown"},
		map[string]string{
			"phone": "mobile", "smartphone": "mobile", "mobile_phone": "mobile", "cellphone": "mobile", "phablet": "mobile",
			"feature_phone": "mobile", "pc": "desktop", "computer": "desktop", "laptop": "desktop", "notebook": "desktop",
			"tab": "tablet", "smart_tv": "tv", "television": "tv", "connected_tv": "tv", "ctv": "tv",
			"game_console": "console", "gaming_console": "console", "watch": "wearable", "smartwatch": "wearable",
			"automotive": "car", "car_browser": "car", "crawler": "bot", "robot": "bot",
		})

	Systems = oneOf("OperatingSystem",
		[]string{
			"Android", "iOS", "Windows", "macOS", "Linux", "ChromeOS", "HarmonyOS", "Windows Phone", "KaiOS", "Tizen", "webOS",
			"NetCast", "Roku", "VIDAA", "tvOS", "watchOS", "PlayStation", "Xbox", "Nintendo", "BlackBerry", "Symbian",
			"Series40", "Sailfish", "Bada", "MeeGo", "Firefox OS", "Fuchsia", "FreeBSD", "OpenBSD", "NetBSD", "Solaris",
		},
		map[string]string{
			"osx": "macOS", "os x": "macOS", "mac": "macOS", "mac os x": "macOS", "macintosh": "macOS", "win": "Windows",
			"windows nt": "Windows", "cros": "ChromeOS", "chromium os": "ChromeOS", "iphone os": "iOS", "ipados": "iOS",
			"atv os x": "tvOS", "apple tv": "tvOS", "winphone": "Windows Phone", "windows mobile": "Windows Phone",
			"blackberry os": "BlackBerry", "blackberry tablet os": "BlackBerry", "symbian os": "Symbian",
			"nokia series 40": "Series40", "web0s": "webOS", "sailfish os": "Sailfish",
			"gnu/linux": "Linux",
		})

	Browsers = browsers()

	Weekdays = oneOf("Weekday", []string{"1", "2", "3", "4", "5", "6", "7"}, map[string]string{
		"monday": "1", "tuesday": "2", "wednesday": "3", "thursday": "4", "friday": "5", "saturday": "6", "sunday": "7",
		"mon": "1", "tue": "2", "wed": "3", "thu": "4", "fri": "5", "sat": "6", "sun": "7",
	})

	Statuses = oneOf("ConversionStatus", []string{
		models.StatusPending, models.StatusApproved, models.StatusRejected, models.StatusChargeback,
	}, nil)
)

// replacedLanguages has the present codes by the codes that ISO 639 has replaced. Android, Java and old programs still send the
// old codes.
var replacedLanguages = map[string]string{"iw": "he", "in": "id", "ji": "yi", "jw": "jv", "mo": "ro"}

func countries() *Values {
	codes, synonyms := country.Codes(), map[string]string{"UAE": "AE", "Great Britain": "GB", "Czech Republic": "CZ"}
	var names []string
	for _, code := range codes {
		synonyms[country.Name(code)] = code
		names = append(names, plain(country.Name(code)))
	}
	v := oneOf("CountryCode", codes, synonyms)
	v.names, v.description = names, "a country's code of two letters (ISO 3166-1), as in US or DE"
	v.parse = func(text string) (string, bool) {
		region, err := language.ParseRegion(text)
		if err != nil {
			return "", false
		}
		code := region.Canonicalize().String()
		return code, country.Name(code) != ""
	}
	return v
}

func browsers() *Values {
	v := oneOf("Browser", []string{
		"Chrome", "Safari", "Firefox", "Edge", "Opera", "Samsung Internet", "Internet Explorer", "Brave", "Vivaldi",
		"DuckDuckGo", "Yandex Browser", "UC Browser", "Opera GX", "Opera Mini", "Mi Browser", "Huawei Browser",
		"HeyTap Browser", "Vivo Browser", "QQ Browser", "Whale", "Ecosia", "Coc Coc", "Avast Secure Browser", "Amazon Silk",
		"Maxthon", "Puffin", "Phoenix", "Electron", "Tesla", "Pale Moon", "SeaMonkey", "Waterfox", "Firefox Focus",
		"Chromium", "Android Browser", "Android WebView", "iOS WebView", "BlackBerry", "Epiphany", "Konqueror", "PlayStation",
		"Nintendo Browser", "Samsung TV Browser", "LG Browser", "Roku", "Facebook", "Messenger", "Instagram", "Threads",
		"TikTok", "Snapchat", "Pinterest", "LinkedIn", "Twitter", "Reddit", "WeChat", "Weibo", "KakaoTalk", "LINE", "Naver",
		"Telegram", "VK", "Zalo", "Viber", "WhatsApp", "Google App", "Bing", "Alipay", "QQ", "Baidu",
	}, map[string]string{
		"Google Chrome": "Chrome", "Chrome Mobile": "Chrome", "Mobile Safari": "Safari", "Apple Safari": "Safari",
		"Mozilla Firefox": "Firefox", "Firefox Mobile": "Firefox", "Microsoft Edge": "Edge",
		"MS Edge": "Edge", "IE": "Internet Explorer", "MSIE": "Internet Explorer", "Samsung Browser": "Samsung Internet",
		"Yandex": "Yandex Browser", "UC": "UC Browser", "UCWeb": "UC Browser", "Silk": "Amazon Silk", "Opera Mobile": "Opera",
		"Miui Browser": "Mi Browser", "DuckDuckGo Browser": "DuckDuckGo",
		"Chrome WebView": "Android WebView", "Facebook App": "Facebook", "Instagram App": "Instagram", "TikTok App": "TikTok",
		"GSA": "Google App", "Google Search App": "Google App", "Facebook Messenger": "Messenger",
	})
	v.Open = true
	v.description = "the name of a browser, such as Chrome or Samsung Internet; for a browser that is not in the list, use the operator \"contains\""
	return v
}
