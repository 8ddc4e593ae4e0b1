// Classes that the assertion library extends when it is loaded, and never uses here.

class EventTarget {
  dispatchEvent(): boolean {
    return true;
  }
}

class Event {}

Object.assign(globalThis, { Event, EventTarget });
