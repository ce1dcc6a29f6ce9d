/** The number of an alert as pages show it: "#1,074". */
export function formatAlertNumber(logIndex: number): string {
  return `#${logIndex.toLocaleString('en-US')}`
}
