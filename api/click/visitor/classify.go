package visitor

import (
	"cmp"
	"slices"
	"strings"
)

// classify describes a user agent by its markers. What the markers do not know stays empty until slow.complete adds it.
func classify(userAgent string) *agent {
	lower := strings.ToLower(userAgent)
	a := &agent{kind: kindOf(userAgent, lower)}
	if a.kind != human && a.kind != headless {
		a.device = Bot // a bot's claims about its system and browser are not trusted
		return a
	}
	a.os, a.osVersion = findSystem(userAgent)
	var inApp bool
	a.browser, a.browserVersion, inApp = findBrowser(userAgent, a.os)
	if a.kind == headless {
		a.device = Bot
		return a
	}
	if a.os == "iOS" && slices.Contains(frozenSystems, a.osVersion) {
		a.osVersion = realVersion(userAgent, a.osVersion)
	}
	if !strings.Contains(userAgent, "CriOS/") { // Chrome on iOS has Safari's engine, which sends no hints
		version := versionAt(textAfter(userAgent, "Chrome/", "Chromium/"))
		a.chrome = leadingInt(version)
		a.wholeVersion = a.chrome >= firstReduced && !strings.HasSuffix(version, ".0.0.0")
	}
	if a.os == "Android" {
		a.model = androidModel(userAgent)
		a.brand = brandOf(a.model)
	}
	plainModel := a.model
	if inApp {
		applyAppDevice(userAgent, a)
	}
	a.device = deviceOf(userAgent, lower, a, a.model != plainModel)
	if a.brand == "" {
		a.brand, a.model = appleDevice(userAgent, a)
	}
	a.engine = engineOf(a)
	a.impossible = isImpossible(a)
	return a
}

// kindOf returns the kind of automated client that a user agent declares itself to be.
func kindOf(userAgent, lower string) kind {
	for _, b := range botMarks {
		if hasMark(lower, b.marks) && (!b.general || hasMark(strings.ToLower(withoutDevice(userAgent)), b.marks)) {
			return b.kind
		}
	}
	return human
}

// hasMark reports whether a user agent in lower case has one of the marks. A mark that begins with ^ must be at the start.
func hasMark(lower string, marks []string) bool {
	for _, mark := range marks {
		if mark[0] == '^' && strings.HasPrefix(lower, mark[1:]) || strings.Contains(lower, mark) {
			return true
		}
	}
	return false
}

// withoutDevice returns a user agent without the names of the device, in which words such as bot and spider do not count.
func withoutDevice(userAgent string) string {
	if text := appDeviceOf(userAgent).text; text != "" {
		userAgent = strings.ReplaceAll(userAgent, text, "")
	}
	if model := androidModel(userAgent); model != "" {
		userAgent = strings.ReplaceAll(userAgent, model, "K")
	}
	return strings.NewReplacer("CUBOT", "", "Cubot", "", "cubot", "").Replace(userAgent)
}

func findSystem(ua string) (name, version string) {
	for _, s := range systemMarks {
		i := strings.Index(ua, s.text)
		if i < 0 {
			continue
		}
		if s.version == "" {
			return s.name, ""
		}
		version = versionAt(textAfter(ua, s.version))
		if s.name == "Windows" {
			version = cmp.Or(windowsVersions[version], version)
		}
		return s.name, version
	}
	return "", ""
}

// findBrowser returns the browser of a user agent. inApp says that it is the browser of an app.
func findBrowser(ua, os string) (name, version string, inApp bool) {
	for i, list := range [...][]browserMark{appMarks, browserMarks} {
		for _, b := range list {
			if (b.os == "" || b.os == os) && hasText(ua, b.text) {
				return b.name, versionAt(textAfter(ua, b.version...)), i == 0
			}
		}
	}
	return "", "", false
}

// hasText reports whether a user agent has a mark. A mark that begins with ^ must be at the start.
func hasText(ua, mark string) bool {
	if mark[0] == '^' {
		return strings.HasPrefix(ua, mark[1:])
	}
	return strings.Contains(ua, mark)
}

// deviceOf returns the type of device. appNamesModel says that the app has named the model.
func deviceOf(ua, lower string, a *agent, appNamesModel bool) string {
	if appNamesModel {
		lower += "; " + strings.ToLower(a.model)
	}
	for _, d := range deviceMarks {
		if slices.ContainsFunc(d.marks, func(mark string) bool { return strings.Contains(lower, mark) }) {
			return d.device
		}
	}
	if device := systemDevices[a.os]; device != "" {
		return device
	}
	mobile := strings.Contains(ua, "Mobile") || strings.Contains(ua, "Opera Mini") || strings.Contains(ua, "Opera Mobi")
	switch {
	case a.os == "Android" && (mobile || appNamesModel || !strings.Contains(ua, "Mozilla/")):
		return Mobile // without Mozilla/, it is the client of an app, which reports only Android
	case a.os == "Android":
		return Tablet
	case mobile || strings.Contains(ua, "MIDP") || strings.Contains(ua, "UCWEB"):
		return Mobile
	case a.os == "iOS":
		return Mobile // the client of an app reports only iOS
	case a.os != "":
		return Desktop
	}
	return Unknown
}

// appleDevice returns the brand and model of Apple's devices, which the user agent states plainly.
func appleDevice(ua string, a *agent) (brand, model string) {
	switch a.os {
	case "iOS", "macOS", "tvOS", "watchOS":
		for _, name := range []string{"iPhone", "iPad", "iPod", "Apple Watch", "Apple TV", "Mac"} {
			if strings.Contains(ua, name) {
				return "Apple", name
			}
		}
		return "Apple", ""
	}
	return a.brand, a.model
}

// androidModel reads the model from "Android 13; SM-G991B Build/..." and "Android 13; SM-G991B)". It skips the K that Chrome sends in
// place of a model.
func androidModel(ua string) string {
	_, list, found := strings.Cut(ua, "Android ")
	if !found || strings.HasPrefix(list, "(") { // Instagram writes "Android (" without a model here
		return ""
	}
	list, _, _ = strings.Cut(list, ")")
	list, _, _ = strings.Cut(list, " Build")
	list, _, _ = strings.Cut(list, " AppleWebKit/") // some user agents have lost their parentheses
	_, list, more := strings.Cut(list, ";")
	for more {
		var part string
		part, list, more = strings.Cut(list, ";")
		if part = strings.TrimSpace(part); isModel(part) {
			return part
		}
	}
	return ""
}

// isModel reports whether a part of the system's description can be a model.
func isModel(part string) bool {
	switch part {
	case "wv", "Mobile", "Tablet", "TV":
		return false
	}
	locale := len(part) == 5 && (part[2] == '-' || part[2] == '_')
	return len(part) >= 2 && len(part) <= MaxText && !locale && !strings.HasPrefix(part, "rv:") &&
		!strings.HasPrefix(part, "Build/") && leadingInt(textAfter(part, "/")) == 0
}

func brandOf(model string) string {
	for _, b := range brandPrefixes {
		if slices.ContainsFunc(b.prefixes, func(prefix string) bool { return strings.HasPrefix(model, prefix) }) {
			return b.brand
		}
	}
	return ""
}

// The oldest browser versions that are accepted. No older version is still in use, so a user agent that claims one comes from a
// script with an old list.
const (
	oldestChrome  = 30 // 2013
	oldestFirefox = 20 // 2013
	oldestMSIE    = 8  // 2009
)

// isImpossible reports whether no real browser sends this user agent.
func isImpossible(a *agent) bool {
	major := leadingInt(a.browserVersion)
	switch a.browser {
	case "Chrome":
		return major > 0 && major < oldestChrome
	case "Firefox":
		return major > 0 && major < oldestFirefox && a.os != "iOS"
	case "Internet Explorer":
		return major > 0 && major < oldestMSIE || a.os != "Windows" && a.os != "Windows Phone" && a.os != "Xbox"
	case "Safari":
		return a.os == "Android" || a.os == "Linux" && a.device == Desktop && a.chrome > 0
	case "Samsung Internet":
		return a.os == "Windows" || a.os == "macOS" || a.os == "iOS"
	}
	return false
}

// textAfter returns the text that follows the first of the marks that occurs.
func textAfter(s string, marks ...string) string {
	for _, m := range marks {
		if _, rest, found := strings.Cut(s, m); found {
			return rest
		}
	}
	return ""
}

// versionAt returns the version number at the start of a text: digits and dots, at most 24 characters. Underscores count as dots.
func versionAt(s string) string {
	end, underscores := 0, false
	for end < len(s) && end < 24 {
		c := s[end]
		if c == '_' {
			underscores = true
		} else if (c < '0' || c > '9') && c != '.' {
			break
		}
		end++
	}
	v := strings.Trim(s[:end], "._")
	if underscores {
		v = strings.ReplaceAll(v, "_", ".")
	}
	return v
}
