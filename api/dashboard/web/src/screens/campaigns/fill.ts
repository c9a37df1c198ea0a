// filled returns a text in which each {name} that values has is replaced by its value. Any other word in braces, such as
// {clickid}, stays.
export const filled = (text: string, values: Record<string, string>) =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => (Object.hasOwn(values, name) ? values[name]! : whole))
