import { failpoints } from '@tocsin/server/failpoint.ts'
import { openFailpointScene } from './failpoint-proof/scene.ts'
let t = performance.now()
const lap = (n: string) => { const u = performance.now(); console.log(n, Math.round(u - t)); t = u }
const scene = await openFailpointScene()
lap('open')
try {
for (const f of failpoints) { await scene.crashAt(f, 2); lap(f) }
await scene.settle(); lap('settle')
} finally { await scene.stop() }
lap('stop')
