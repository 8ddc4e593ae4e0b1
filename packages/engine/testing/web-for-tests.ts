// What the assertion library extends when it is loaded, and never uses here.

class EventTarget {}

class Event {}

Object.assign(globalThis, { Event, EventTarget });
