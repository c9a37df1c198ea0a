// The placeholders of templates: words such as YOUR_AID in a postback address, which stand for values from
// the customer's account at the traffic source.
const placeholder = /YOUR_[A-Z0-9_]+/g

export const placeholdersOf = (address: string) => [...new Set(address.match(placeholder) ?? [])]

export const fillIn = (address: string, values: Record<string, string>) =>
  address.replace(placeholder, word => (values[word]?.trim() ? encodeURIComponent(values[word].trim()) : word))

// nameOf returns the name of a placeholder as people read it: PIXEL ID for YOUR_PIXEL_ID.
export const nameOf = (word: string) => word.slice('YOUR_'.length).replaceAll('_', ' ')

// kindOf says what a placeholder stands for.
export const kindOf = (word: string): 'event' | 'secret' | 'id' =>
  /EVENT|GOAL/.test(word) ? 'event' : /TOKEN|KEY|HASH|SECRET/.test(word) ? 'secret' : 'id'
