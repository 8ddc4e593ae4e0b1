package main

import (
	"fmt"
	"io"
	"reflect"
	"unsafe"
)

// reflectOn prints everything that it can reach from a value, also fields that are not exported, as
// debugging packages do.
func reflectOn(w io.Writer, value any) {
	reflection{w, map[unsafe.Pointer]bool{}}.print(reflect.ValueOf(value))
	fmt.Fprintln(w)
}

type reflection struct {
	w    io.Writer
	seen map[unsafe.Pointer]bool
}

func (r reflection) print(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || r.seen[v.UnsafePointer()] {
			fmt.Fprint(r.w, "seen ")
			return
		}
		r.seen[v.UnsafePointer()] = true
		r.print(v.Elem())
	case reflect.Interface:
		r.print(v.Elem())
	case reflect.Struct:
		r.printFields(v)
	case reflect.Map:
		for _, name := range v.MapKeys() {
			r.print(name)
			r.print(v.MapIndex(name))
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			fmt.Fprintf(r.w, "%s ", v.Bytes())
			return
		}
		for i := range v.Len() {
			r.print(v.Index(i))
		}
	case reflect.String:
		fmt.Fprintf(r.w, "%s ", v.String())
	case reflect.Invalid:
		fmt.Fprint(r.w, "nil ")
	default:
		fmt.Fprintf(r.w, "%v ", v)
	}
}

func (r reflection) printFields(v reflect.Value) {
	// Fields that are not exported can be read if they have an address.
	if !v.CanAddr() {
		addressable := reflect.New(v.Type()).Elem()
		addressable.Set(v)
		v = addressable
	}
	for i := range v.NumField() {
		field := v.Field(i)
		fmt.Fprintf(r.w, "%s: ", v.Type().Field(i).Name)
		r.print(reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem())
	}
}
