package visitor

import (
	"net/http"
	"strconv"
	"strings"
)

// hintSystems maps Sec-CH-UA-Platform to our names of systems.
var hintSystems = map[string]string{
	"Windows": "Windows", "macOS": "macOS", "Android": "Android", "iOS": "iOS", "Linux": "Linux",
	"Chrome OS": "ChromeOS", "Chromium OS": "ChromeOS",
}

// hintBrowsers are browsers that can have the user agent of Chrome.
var hintBrowsers = []struct{ brand, name string }{
	{`"Brave"`, "Brave"}, {`"DuckDuckGo"`, "DuckDuckGo"}, {`"Opera GX"`, "Opera GX"},
}

// applyHints refines the description by client hints, which report what browsers leave out of the user agent. It returns the number
// of contradictions between the hints and the user agent, or between two hints. If there is one, the description does not change.
func applyHints(h http.Header, a *agent, into *Description) (contradictions int) {
	brands := header(h, "Sec-Ch-Ua")
	platform := unquote(header(h, "Sec-Ch-Ua-Platform"))
	if brands == "" && platform == "" {
		return 0
	}
	contradictions = hintContradictions(a, brands, platform, header(h, "Sec-Ch-Ua-Mobile"))
	if versionsDisagree(brands, header(h, "Sec-Ch-Ua-Full-Version-List")) {
		contradictions++
	}
	if contradictions > 0 {
		return contradictions
	}
	if a.browser == "Chrome" {
		for _, b := range hintBrowsers {
			if strings.Contains(brands, b.brand) {
				into.Browser = b.name
			}
		}
	}
	if model := clean(unquote(header(h, "Sec-Ch-Ua-Model")), MaxText); model != "" {
		if into.DeviceModel = model; into.DeviceBrand == "" {
			into.DeviceBrand = brandOf(model)
		}
	}
	if v := unquote(header(h, "Sec-Ch-Ua-Platform-Version")); v != "" && hintSystems[platform] == a.os {
		if v = hintVersion(a.os, v); v != "" {
			into.OSVersion = v
		}
	}
	return 0
}

// hintContradictions counts the contradictions between the hints, which only Chromium sends, and the user agent: in the engine, in
// its version, and in the system or the form of the device (mobile or desktop). A wrong version counts twice if the user agent
// has the whole version.
func hintContradictions(a *agent, brands, platform, mobile string) (n int) {
	if a.kind != human {
		return 0
	}
	if brands != "" && a.chrome == 0 {
		n++
	}
	if major := brandVersion(brands, `"Chromium";v="`); major != 0 && a.chrome != 0 && major != a.chrome {
		n++
		if a.wholeVersion {
			n++ // a Chromium that sends hints has a reduced user agent, without the whole version
		}
	}
	os := hintSystems[platform]
	sameSystem := os == a.os || os == "Linux" && a.os == "ChromeOS" || os == "Android" && a.device == TV
	if os != "" && isHinted(a.os) && !sameSystem ||
		mobile == "?1" && a.device == Desktop || mobile == "?0" && a.device == Mobile && a.os == "Android" {
		n++
	}
	return n
}

// versionsDisagree reports whether the engine's version in Sec-CH-UA (brands) differs from its version in
// Sec-CH-UA-Full-Version-List (full). Apps may send lists of their own, without an engine. Such lists do not disagree.
func versionsDisagree(brands, full string) bool {
	const engine = `"Chromium";v="`
	short, long := brandVersion(brands, engine), brandVersion(full, engine)
	return short != 0 && long != 0 && short != long
}

// isHinted reports whether hints have a name for a system.
func isHinted(os string) bool {
	switch os {
	case "Windows", "macOS", "Android", "iOS", "Linux", "ChromeOS":
		return true
	}
	return false
}

func brandVersion(brands, mark string) int {
	_, v, found := strings.Cut(brands, mark)
	if !found {
		return 0
	}
	return leadingInt(v)
}

// hintVersion reads Sec-CH-UA-Platform-Version. On Windows the hint counts API levels: 13 and above is Windows 11, and 1 to 12 is
// Windows 10. 0.1 to 0.3 are Windows 7, 8 and 8.1, which the user agent shows as well.
func hintVersion(os, v string) string {
	major := leadingInt(v)
	switch {
	case os != "Windows":
		return trimZeros(versionAt(v))
	case major >= 13:
		return "11"
	case major >= 1:
		return "10"
	}
	return ""
}

// trimZeros shortens "13.0.0" to "13" and "14.5.0" to "14.5".
func trimZeros(v string) string {
	for strings.HasSuffix(v, ".0") {
		v = v[:len(v)-2]
	}
	return v
}

func unquote(s string) string {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1]
	}
	return s
}

// leadingInt returns the number at the start of a text, at most five digits long, or 0.
func leadingInt(s string) int {
	end := 0
	for end < len(s) && end < 5 && '0' <= s[end] && s[end] <= '9' {
		end++
	}
	n, _ := strconv.Atoi(s[:end])
	return n
}
