/** The one place that imports the WebSocket driver: carriers and their simulator share the driver, and nothing else. */
export { WebSocket, WebSocketServer, type RawData } from 'ws';
