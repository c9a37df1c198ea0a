// Makes ids without crypto.randomUUID and crypto.subtle. A page that is served by http, such as in a private network, has neither.
const hex = (bytes: Iterable<number>) => Array.from(bytes, b => b.toString(16).padStart(2, '0')).join('')

export function newID(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

// sumOf returns a hash of a text: 128 bits, mixed as in MurmurHash3. The hash is not cryptographic.
export function sumOf(text: string): string {
  const bytes = new TextEncoder().encode(text)
  return [0x9747b28c, 0x3c6ef372, 0x85ebca6b, 0xa54ff53a].map(seed => murmur(bytes, seed).toString(16).padStart(8, '0')).join('')
}

function murmur(bytes: Uint8Array, seed: number): number {
  let h = seed
  for (let i = 0; i < bytes.length; i += 4) {
    let k = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24)
    k = Math.imul(k, 0xcc9e2d51)
    h ^= Math.imul((k << 15) | (k >>> 17), 0x1b873593)
    h = Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64
  }
  h ^= bytes.length
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
