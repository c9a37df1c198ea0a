// International host names: the service stores them in punycode, and people read them in their own letters.

// asWritten replaces each host name in punycode by the name as people write it. It leaves a name unchanged if a browser would not
// read the result back as the same name, or if a part of the name mixes Latin letters with Cyrillic or Greek ones, which look
// alike.
export const asWritten = (text: string) =>
  text.includes('xn--') ? text.replace(/(?:[a-z0-9_-]+\.)*xn--[a-z0-9-]+(?:\.[a-z0-9_-]+)*/gi, written) : text

function written(host: string): string {
  const labels = host.split('.').map(l => (/^xn--/i.test(l) ? decode(l.slice(4).toLowerCase()) : l)),
    name = labels.join('.')
  const isMixed = labels.some(l => /\p{Script=Latin}/u.test(l) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(l))
  try {
    return !isMixed && new URL('http://' + name).hostname === host.toLowerCase() ? name : host
  } catch {
    return host
  }
}

// decode decodes a label in punycode, without its prefix (RFC 3492).
function decode(label: string): string {
  const basic = Math.max(label.lastIndexOf('-'), 0),
    out = [...label.slice(0, basic)].map(c => c.codePointAt(0)!)
  let code = 128,
    bias = 72,
    place = 0
  for (let at = basic && basic + 1; at < label.length; ) {
    const before = place
    for (let weight = 1, k = 36; ; k += 36) {
      // in punycode, a to z stand for 0 to 25 and the digits for 26 to 35; parseInt reads the digits first
      const digit = parseInt(label[at++] ?? '', 36),
        value = digit < 10 ? digit + 26 : digit - 10,
        limit = Math.min(Math.max(k - bias, 1), 26)
      if (!(value >= 0)) return ''
      place += value * weight
      if (value < limit) break
      weight *= 36 - limit
    }
    const size = out.length + 1
    let delta = Math.floor((place - before) / (before === 0 ? 700 : 2)),
      k = 0
    for (delta += Math.floor(delta / size); delta > 455; k += 36) delta = Math.floor(delta / 35)
    bias = k + Math.floor((36 * delta) / (delta + 38))
    code += Math.floor(place / size)
    if (code > 0x10ffff) return ''
    place %= size
    out.splice(place++, 0, code)
  }
  return String.fromCodePoint(...out)
}
