declare module '*/protect.js' {
  const text: string
  export default text
}
declare module '*/protect.php' {
  const text: string
  export default text
}
