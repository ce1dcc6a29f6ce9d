import uWS from 'uWebSockets.js'
import { alertText, host, live, obeyLines, port } from '../control.mjs'

// The package contains a slower replacement for versions of Node.js without a native module.
if (!String(uWS.App).includes('[native code]')) throw new Error('There is no native module for this Node.js')

const app = uWS.App()
app.ws('/*', {
  compression: uWS.DISABLED,
  open: (client) => client.subscribe('alerts'),
  message: (client) => client.send(live, false),
})
app.listen(host, port, (socket) => {
  if (!socket) throw new Error(`Port ${port} is not free`)
  obeyLines(() => app.publish('alerts', alertText, false))
})
