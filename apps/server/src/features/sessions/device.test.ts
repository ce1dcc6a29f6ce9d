import { expect, test } from 'vitest'
import { cpuMs } from '../../../test/cpu-ms.ts'
import { describeDevice } from './device.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'

test.each([
  ['', 'Unknown device'],
  ['<script>alert(1)</script>\r\nX: y', 'Unknown device'],
  ['curl/8.5.0', 'Unknown device'],
  ['Something/1.0 (Linux)', 'Unknown browser on Linux'],
  [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/142.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/142.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chromium/142.0 Chrome/142.0 Safari/537.36`, 'Chromium on Linux'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`,
    'Edge on Windows',
  ],
  [`Mozilla/5.0 (Windows NT 10.0) ${webkit} Chrome/142.0.0.0 Safari/537.36 OPR/99.0`, 'Opera on Windows'],
  [
    `Mozilla/5.0 (Linux; Android 15; SM-S911B) ${webkit} SamsungBrowser/28.0 Chrome/130.0 Mobile Safari/537.36`,
    'Samsung Internet on Android',
  ],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:144.0) Gecko/20100101 Firefox/144.0', 'Firefox on macOS'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  [
    'Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0 Mobile/15E148 Safari/604.1',
    'Chrome on iPad',
  ],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/142.0.0.0 Safari/537.36`, 'ChromeOS'],
])('describeDevice: describes "%s" as %s', (userAgent, expected) => {
  expect(describeDevice(userAgent)).toContain(expected)
})

test('describeDevice: takes less than 200 ms of CPU time for a very long user agent', () => {
  expect(cpuMs(() => describeDevice(`Version/${'1 '.repeat(50_000)}`))).toBeLessThan(200)
})
